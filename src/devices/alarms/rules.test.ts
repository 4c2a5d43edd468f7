import { describe, expect, test } from 'vitest';
import { hours, minutes } from '../../contract/units.ts';
import { firstIdOf } from '../../store/database.ts';
import {
  addDevice,
  addRule,
  alarms,
  type Device,
  openRunning,
  pass,
  put,
  ruleWhen,
  silentFor,
} from '../../testing/alarms.ts';
import type { Client } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { proveAddress, register } from '../../testing/people.ts';
import { alarmChannels } from '../contract/alarm-channels.ts';
import { alarmKinds } from '../contract/alarm-kinds.ts';
import { defaultAlarmRules, idleRules, kindOf, type NewAlarmRule } from '../contract/alarm-rules.ts';
import { ruleForm, ruleOf } from './rules.contract.ts';

const none = { by: 'none' } as const;

describe.each(usualEngines)('alarm rules, on %s,', (engine) => {
  const running = openRunning(engine);
  const person = async (devices: readonly string[] = []) => {
    const server = await running;
    const { browser, email } = await register(server, {});
    const own: Device[] = [];
    for (const name of devices) own.push(await addDevice(server, browser, name));
    const tag = (at: number, ...tags: string[]) => put(browser, `/computers/${own[at]?.id}/tags`, { tags });
    return { server, browser, email, devices: own, tag };
  };
  const remove = async (browser: Client, id: string) => {
    await browser.post('/auth/refresh');
    return browser.send('DELETE', `/account/alarms/rules/${id}`, {});
  };
  const idsOf = async (browser: Client): Promise<string[]> => {
    await browser.post('/auth/refresh');
    return (await browser.get('/account/alarms')).body.rules.map(({ id }: { id: string }) => id);
  };

  test('decide for a device by the first that includes it, and exceptions are rules above', async () => {
    const { server, browser, devices, tag } = await person(['Server', 'Office', 'Kiosk', 'Attic']);
    const quoted = 'quoted "a\\';
    await tag(0, quoted, 'Rack');
    // Another case is another tag.
    await tag(1, 'RACK', 'b "a');
    await tag(2, 'Rack');
    await addRule(browser, silentFor(10, { tags: ['Rack'] }));
    await addRule(browser, silentFor(5, { tags: [quoted] }));
    const muted = await addRule(browser, silentFor(60, { computers: [devices[3]?.id ?? ''], ...none }));
    await pass(server, minutes(6));
    expect(await alarms(browser)).toEqual(['Server computer_silent']);
    await pass(server, minutes(5));
    expect(await alarms(browser)).toEqual(['Kiosk computer_silent', 'Server computer_silent']);
    await pass(server, minutes(55));
    expect(await alarms(browser)).toEqual([
      'Office computer_silent',
      'Kiosk computer_silent',
      'Server computer_silent',
    ]);
    const deciding = async (at: number) => (await browser.get(`/computers/${devices[at]?.id}/alarms`)).body.rules;
    expect(await deciding(3)).toMatchObject([{ id: muted, by: 'none' }, { id: 'disk' }, { id: 'battery' }]);
    expect(await deciding(2)).toMatchObject([{ tags: ['Rack'] }, { id: 'disk' }, { id: 'battery' }]);
    // Without the exception, the silence of the device is an alarm, although it began before.
    expect((await remove(browser, muted)).body.rules).toHaveLength(5);
    await pass(server, minutes(1));
    expect((await alarms(browser))[0]).toBe('Attic computer_silent');
  });

  test('take effect on what is open: an exception ends the incident without a message, a channel gets it', async () => {
    const { server, browser, email } = await person(['Server', 'Office']);
    await proveAddress(server, { email, browser });
    const rule = silentFor(5, { by: 'chosen', channels: [] });
    const id = await addRule(browser, rule);
    await pass(server, minutes(8));
    const incidents = async () => {
      await browser.post('/auth/refresh');
      return (await browser.get('/account/incidents')).body.incidents;
    };
    const [incident] = await incidents();
    const messages = async () => (await browser.get(`/account/incidents/${incident.id}`)).body.messages;
    expect(incident).toMatchObject({ devices: 2, open: 2 });
    expect(await messages()).toEqual([]);
    await put(browser, `/account/alarms/rules/${id}`, { ...rule, channels: ['email'] });
    await pass(server, minutes(1));
    expect(await messages()).toMatchObject([{ channel: 'email', event: 'escalated' }]);
    const computers = (await browser.get('/computers')).body.computers.map((computer: { id: string }) => computer.id);
    await addRule(browser, silentFor(5, { computers: computers.slice(0, 1), ...none }));
    await pass(server, minutes(1));
    expect(await incidents()).toMatchObject([{ id: incident.id, open: 1, ended_at: null }]);
    await put(browser, `/account/alarms/rules/${id}`, { ...rule, ...none });
    await pass(server, minutes(3));
    expect(await incidents()).toMatchObject([{ id: incident.id, open: 0, ended_at: expect.any(String) }]);
    expect(await messages()).toHaveLength(1);
    // A tag that a device gets counts as well.
    await addRule(browser, silentFor(5, { tags: ['Rack'] }));
    await put(browser, `/computers/${computers[1]}/tags`, { tags: ['Rack'] });
    await pass(server, minutes(1));
    expect(await incidents()).toHaveLength(2);
  });

  test('are named by their incident, which pages count and show until it has ended', async () => {
    const { server, browser, devices } = await person(['Server', 'Office']);
    const id = await addRule(browser, silentFor(5, { by: 'chosen' }));
    await pass(server, minutes(8));
    const read = async (path: string) => {
      await browser.post('/auth/refresh');
      return (await browser.get(path)).body;
    };
    const openNow = async () => (await read('/account')).open_incidents;
    const settlingNow = async () => (await read('/computers')).settling;
    const [{ id: incident }] = (await read('/account/incidents')).incidents;
    const details = () => read(`/account/incidents/${incident}`);
    expect([await openNow(), await settlingNow()]).toEqual([1, []]);
    expect(await details()).toMatchObject({ ends_at: null, rules: [{ id, when: { after_minutes: 5 } }] });
    // Before the next judgment as well as after it.
    for (const device of devices) await device.beat();
    const known = { id: incident, kind: 'computer_silent', devices: 2, first: expect.any(String), unstable: false };
    expect(await settlingNow()).toEqual([{ ...known, ends_at: expect.any(String) }]);
    await pass(server, minutes(1), devices);
    const { ends_at, members } = await details();
    const back = members.map(({ back_at }: { back_at: string }) => Date.parse(back_at));
    expect(Date.parse(ends_at) - Math.max(...back)).toBe(minutes(1));
    expect(await settlingNow()).toEqual([{ ...known, ends_at }]);
    expect(await openNow()).toBe(1);
    await pass(server, minutes(2), devices);
    await remove(browser, id);
    expect([await openNow(), await settlingNow()]).toEqual([0, []]);
    expect(await details()).toMatchObject({ ended_at: expect.any(String), ends_at: null, rules: [null] });
  });

  test('can be changed, ordered and removed by their owner only, and stay what another tab has added', async () => {
    const { browser } = await person();
    const stranger = await person();
    expect(await idsOf(browser)).toEqual(defaultAlarmRules.map(({ id }) => id));
    const id = await addRule(browser, silentFor(7));
    expect(await idsOf(browser)).toEqual([id, 'silent', 'disk', 'battery']);
    const order = (ids: readonly string[]) => put(browser, '/account/alarms/rules', { order: ids });
    await order(['battery', 'gone', 'disk', 'silent']);
    expect(await idsOf(browser)).toEqual(['battery', 'disk', 'silent', id]);
    expect(await put(stranger.browser, `/account/alarms/rules/${id}`, silentFor(9))).toSay('404 not_found');
    expect(await remove(stranger.browser, id)).toSay('404 not_found');
    expect((await remove(browser, 'battery')).body.rules).toHaveLength(3);
    for (let more = 3; more < 50; more += 1) await addRule(browser, silentFor(8));
    expect(await browser.post('/account/alarms/rules', silentFor(8))).toSay('409 alarm_limit_reached');
  });

  test('report records and unexpected stops once, while their incident goes on', async () => {
    const { server, browser, devices } = await person(['Server', 'Office']);
    const [one, two] = devices as [Device, Device];
    await addRule(browser, ruleWhen({ event: 'record', kind: '', text: 'ERROR disk' }));
    await addRule(browser, ruleWhen({ event: 'record', kind: 'door', text: '' }, { ...none, computers: [two.id] }));
    await addRule(browser, ruleWhen({ event: 'record', kind: 'door', text: '' }));
    await addRule(browser, ruleWhen({ event: 'stopped' }, { computers: [one.id] }));
    for (const device of devices) for (const kind of ['start', 'stop', 'start', 'boot']) await device.report(kind);
    await pass(server, minutes(1), devices);
    expect(await alarms(browser)).toEqual([]);
    // Stopped without a goodbye; of the other one, no rule speaks.
    for (const device of devices) await device.report('start');
    await one.report('door', 'Opened.');
    await one.report('log', 'Disk 7: I/O error');
    await pass(server, minutes(1), devices);
    // One device is one alarm, however many rules its records match.
    expect((await alarms(browser)).sort()).toEqual(['Server computer_stopped', 'Server record']);
    for (let more = 0; more < 5; more += 1) {
      await one.report('door', 'Opened.');
      await two.report('door', 'Opened.');
      await pass(server, minutes(2), devices);
    }
    // The rule above is about any door.
    expect((await alarms(browser)).sort()).toEqual(['Office record', 'Server computer_stopped', 'Server record']);
    const incidents = async () => {
      await browser.post('/auth/refresh');
      return (await browser.get('/account/incidents')).body.incidents;
    };
    expect(await incidents()).toMatchObject([{ kind: 'record', ended_at: null }, { kind: 'computer_stopped' }]);
    await pass(server, minutes(18), devices);
    expect((await incidents()).map(({ ended_at }: { ended_at: string | null }) => ended_at)).not.toContain(null);
    await one.report('door', 'Opened.');
    await pass(server, minutes(1), devices);
    expect(await incidents()).toHaveLength(3);
  });

  test('compare what devices report with limits, also only after a time, and see its end', async () => {
    const { server, browser, devices } = await person(['Server']);
    const [device] = devices as [Device];
    const say = (readings: object) => device.beat({ readings });
    const memory = { event: 'value', value: 'memory', is: 'above', limit: 90, for_minutes: 10 } as const;
    await addRule(browser, ruleWhen(memory));
    await pass(server, minutes(1), devices);
    await say({ disk_free: 6, disk_size: 100, memory_free: 5, memory_size: 100 });
    await pass(server, minutes(5), devices);
    // A value counts before the warning of an agent, which has limits of its own.
    await device.report('disk_low');
    await pass(server, minutes(1), devices);
    expect(await alarms(browser)).toEqual([]);
    await say({ memory_free: 50, memory_size: 100 });
    await pass(server, minutes(2), devices);
    await device.report('disk_enough');
    await say({ disk_free: 4, disk_size: 100, memory_free: 5, memory_size: 100 });
    await pass(server, minutes(9), devices);
    expect(await alarms(browser)).toEqual(['Server disk_low']);
    await pass(server, minutes(3), devices);
    expect(await alarms(browser)).toEqual(['Server memory_high', 'Server disk_low']);
    const open = async () => {
      const { incidents } = (await browser.get('/account/incidents')).body;
      return incidents.map(({ kind, ended_at }: { kind: string; ended_at: string | null }) => [
        kind,
        ended_at === null,
      ]);
    };
    await say({ disk_free: 90, disk_size: 100, memory_free: 5, memory_size: 100 });
    await pass(server, minutes(3), devices);
    await browser.post('/auth/refresh');
    expect(await open()).toEqual([
      ['memory_high', true],
      ['disk_low', false],
    ]);
  });

  test.each<[string, object, string]>([
    ['without a condition', { when: undefined }, 'when not_understood'],
    ['of 4 minutes', silentFor(4), 'when.after_minutes not_understood'],
    ['of half minutes', silentFor(7.5), 'when.after_minutes not_understood'],
    ['by a channel that does not exist', { channels: ['fax'] }, 'channels.0 not_understood'],
    ['about any record', { when: { event: 'record', kind: '', text: ' ' } }, 'when.text required'],
    [
      'about a limit of 100 %',
      { when: { event: 'value', value: 'disk', is: 'below', limit: 100, for_minutes: 0 } },
      'when.limit not_understood',
    ],
    [
      'about a value that does not exist',
      { when: { event: 'value', value: 'mood', is: 'below', limit: 5, for_minutes: 0 } },
      'when.value not_understood',
    ],
    ['with a reminder each second', { remind_hours: 0 }, 'remind_hours not_understood'],
  ])('cannot be one %s', async (_what, known, refusal) => {
    const { browser } = await person();
    const added = await browser.post('/account/alarms/rules', { ...silentFor(5), ...known });
    expect(added).toSay(`422 validation_failed ${refusal}`);
  });

  describe('can be tried:', () => {
    const preview = async (browser: Client, rule: NewAlarmRule & { id?: string }) => {
      await browser.post('/auth/refresh');
      return (await browser.post('/account/alarms/rules/preview', rule)).body;
    };

    test('on silences of the last 30 days, without stops, off hours and devices of other rules', async () => {
      const { server, browser, devices } = await person(['Server', 'Office', 'Kiosk']);
      const [one, two, three] = devices as [Device, Device, Device];
      const now = server.now();
      const gone = (from: number, spans: number) => {
        const digits = [...'c'.repeat(240)];
        digits.splice(240 - from, spans, ...'0'.repeat(spans));
        return digits.join('');
      };
      const set = (id: string, history: string) =>
        server.store.updateTable('computers').set({ history, last_seen_at: now }).where('id', '=', id).execute();
      await set(one.id, gone(100, 8));
      await set(two.id, gone(50, 3));
      await set(three.id, gone(40, 3));
      expect(await preview(browser, silentFor(60))).toMatchObject({
        ...{ count: 3, complete: false },
        newest: [{ name: 'Kiosk' }, { name: 'Office' }, { name: 'Server' }],
      });
      expect(await preview(browser, silentFor(720))).toMatchObject({ count: 1, complete: true });
      expect(await preview(browser, silentFor(60, { computers: [two.id] }))).toMatchObject({ count: 1 });
      // One above decides for one of the devices.
      await addRule(browser, silentFor(60, { computers: [three.id], ...none }));
      expect(await preview(browser, { ...silentFor(60), id: 'silent' })).toMatchObject({ count: 2 });
      const [{ at }] = (await preview(browser, silentFor(180, { computers: [two.id] }))).newest;
      const seq = `${at}`;
      await server.store
        .insertInto('records')
        .values({
          ...{ seq: firstIdOf(Date.parse(at) - hours(3)), account_id: '', computer_id: two.id, id: seq },
          ...{ at: Date.parse(at) - hours(3), kind: 'stop', text: '' },
          account_id: (await browser.get('/account')).body.id,
        })
        .execute();
      expect(await preview(browser, silentFor(60, { computers: [two.id] }))).toMatchObject({ count: 0 });
    });

    test('on records, starts without a stop, and warnings', async () => {
      const { browser, devices } = await person(['Server']);
      const [device] = devices as [Device];
      for (const kind of ['start', 'stop', 'start', 'start', 'disk_low']) await device.report(kind);
      await device.report('door', 'Öffnung im Norden');
      const record = (kind: string, text: string) => preview(browser, ruleWhen({ event: 'record', kind, text }));
      expect(await record('door', '')).toMatchObject({ count: 1, complete: true, newest: [{ name: 'Server' }] });
      expect(await record('', 'norden offnung')).toMatchObject({ count: 1 });
      expect(await record('door', 'south')).toMatchObject({ count: 0, newest: [] });
      expect(await preview(browser, ruleWhen({ event: 'stopped' }))).toMatchObject({ count: 1, complete: true });
      const disk = { event: 'value', value: 'disk', is: 'below', limit: 5, for_minutes: 0 } as const;
      expect(await preview(browser, ruleWhen(disk))).toMatchObject({ count: 1, complete: false });
    });
  });
});

test('Rules that decide for no device are idle, for a reason', () => {
  const rule = (id: string, known: Partial<NewAlarmRule> = {}) => ({ id, ...silentFor(5, known) });
  const rules = [
    rule('Berlin', { tags: ['Berlin'] }),
    rule('gone', { computers: ['gone'] }),
    rule('phones', { tags: ['phones'] }),
    rule('named', { computers: ['phone'] }),
    rule('all'),
    rule('late', { tags: ['Berlin', 'Lyon'], ...none }),
    { id: 'record', ...ruleWhen({ event: 'record', kind: 'door', text: '' }) },
    { id: 'again', ...ruleWhen({ event: 'record', kind: 'door', text: '' }) },
  ];
  const devices = [
    { id: 'a', tags: ['Berlin'], kind: 'computer' as const },
    { id: 'b', tags: [], kind: 'computer' as const },
    { id: 'phone', tags: ['phones'], kind: 'smartphone' as const },
  ];
  expect([...idleRules(rules, devices)]).toEqual([
    ['gone', 'unmatched'],
    ['phones', 'asleep'],
    ['late', 'shadowed'],
  ]);
  // For a single device, the first is enough.
  expect([...idleRules(rules, devices.slice(0, 1)).keys()]).toEqual(['gone', 'phones', 'named', 'all', 'late']);
  expect(idleRules(rules, []).size).toBe(0);
});

test.each(alarmKinds)('the form of a rule about %s makes a rule about it', (kind) => {
  const channels = Object.fromEntries(alarmChannels.map((name) => [`by_${name}`, false]));
  const typed = ruleForm.parse({
    ...{ rule_what: kind, rule_silent: '30', rule_limit: '20', rule_for: '5', rule_kind: 'backup', rule_text: '' },
    ...{ rule_by: 'all', rule_end: true, rule_remind: '', ...channels },
  });
  expect(kindOf(ruleOf(typed))).toBe(kind);
});
