import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { days, hours, minutes, seconds } from '../../contract/units.ts';
import {
  addDevice,
  addRule,
  alarms,
  type Device,
  evaluate,
  openRunning,
  pass,
  put,
  silentFor,
} from '../../testing/alarms.ts';
import type { Client } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { letPass, proveAddress, register } from '../../testing/people.ts';
import type { TestServer } from '../../testing/test-server.ts';
import type { listComputers } from '../contract/computers.ts';

type Computer = ResponseBody<typeof listComputers>['computers'][number];

test.each(engines)(
  'alarms are reported once although several nodes evaluate them simultaneously, on %s',
  async (engine) => {
    const server = await openRunning(engine);
    const { browser } = await register(server);
    for (let at = 0; at < 8; at += 1) await addDevice(server, browser, `PC ${at}`);
    const otherNode = await server.otherNode();
    await pass(server, minutes(59));
    server.forward(seconds(80));
    await Promise.all(Array.from({ length: 8 }, (_, at) => evaluate(at % 2 ? server : otherNode)));
    expect(new Set(await alarms(browser)).size).toBe(8);
    expect(await alarms(browser)).toHaveLength(8);
  },
);

test.each(engines)('the list of devices names their open alarms, as long as they are silent, on %s', async (engine) => {
  const server = await openRunning(engine);
  const { browser } = await register(server);
  await addRule(browser, silentFor(5));
  const device = await addDevice(server, browser, 'Office');
  const other = await addDevice(server, browser, 'Studio');
  const listed = async () => {
    await browser.post('/auth/refresh');
    const { computers } = (await browser.get('/computers')).body;
    return computers.map(({ name, incidents }: Computer) => [name, ...(incidents ?? []).map(({ kind }) => kind)]);
  };
  await pass(server, minutes(7), [other]);
  expect(await listed()).toEqual([['Office', 'computer_silent'], ['Studio']]);
  const alone = (await browser.get(`/computers/${device.id}/history`)).body.computer;
  expect(alone.incidents).toMatchObject([{ kind: 'computer_silent', acknowledged_at: null }]);
  const path = `/account/incidents/${alone.incidents[0].id}`;
  await browser.send('PATCH', path, { body: { acknowledged: true } });
  expect((await browser.get(`/computers/${device.id}/history`)).body.computer.incidents).toMatchObject([
    { acknowledged_at: expect.any(String) },
  ]);
  // It reports again before the incident is judged.
  await device.beat();
  expect(await listed()).toEqual([['Office'], ['Studio']]);
});

describe.each(usualEngines)('while the service is unreachable, on %s,', (engine) => {
  let opened: TestServer | undefined;
  afterEach(() => opened?.close());
  const people = async (count: number) => {
    const server = await openRunning(engine);
    opened = server;
    const all: { browser: Client; device: Device }[] = [];
    for (let at = 0; at < count; at += 1) {
      const { browser } = await register(server);
      await addRule(browser, silentFor(5));
      all.push({ browser, device: await addDevice(server, browser, `PC ${at}`) });
    }
    await Promise.all(all.map(({ device }) => device.beat()));
    return { server, all };
  };

  test('the devices of several accounts that fall silent together cause no alarms, only those that stay silent', async () => {
    const { server, all } = await people(3);
    const [back, gone] = all;
    await pass(server, minutes(30));
    expect(await alarms(gone?.browser as Client)).toEqual([]);
    await pass(server, minutes(30), [back?.device as Device]);
    expect(await alarms(back?.browser as Client)).toEqual([]);
    expect(await alarms(gone?.browser as Client)).toEqual(['PC 1 computer_silent']);
  });

  test('a device that is the only one is still reported', async () => {
    const { server, all } = await people(1);
    const [one] = all;
    await pass(server, minutes(7));
    expect(await alarms(one?.browser as Client)).toEqual(['PC 0 computer_silent']);
  });
});

test('alarms of an account that cannot be reported do not stop those of others', async () => {
  const server = await openRunning('sqlite');
  const [poisoned, other] = [await register(server), await register(server)];
  const devices = [
    await addDevice(server, poisoned.browser, 'Poisoned'),
    await addDevice(server, other.browser, 'Office'),
  ];
  const { id } = (await poisoned.browser.get('/account')).body;
  await sql`create trigger fails before insert on notifications when new.account_id = ${sql.lit(id)}
    begin select raise(abort, 'cannot be stored'); end`.execute(server.store);
  for (const device of devices) await device.report('disk_low');
  server.forward(minutes(1));
  await expect(evaluate(server)).rejects.toThrow('cannot be stored');
  await sql`drop trigger fails`.execute(server.store);
  expect(await alarms(other.browser)).toEqual(['Office disk_low']);
  await evaluate(server);
  expect(await alarms(poisoned.browser)).toEqual(['Poisoned disk_low']);
});

describe.each(usualEngines)('alarms, on %s,', (engine) => {
  const running = openRunning(engine);
  const person = async (devices: readonly string[] = ['Office']) => {
    const server = await running;
    const { browser, email } = await register(server, {});
    const own: Device[] = [];
    for (const name of devices) own.push(await addDevice(server, browser, name));
    return { server, browser, email, devices: own, device: own[0] as Device };
  };

  test('report a device once when it has been silent for an hour, and again after it was back', async () => {
    const { server, browser, device } = await person();
    await pass(server, minutes(59));
    expect(await alarms(browser)).toEqual([]);
    await pass(server, minutes(2));
    expect(await alarms(browser)).toEqual(['Office computer_silent']);
    await pass(server, hours(3));
    expect(await alarms(browser)).toHaveLength(1);
    const newest = async () => (await browser.get('/account/notifications')).body.notifications[0];
    expect(await newest()).toMatchObject({ kind: 'computer_silent', computer: device.id, read: false, ended_at: null });
    await device.beat();
    await evaluate(server);
    // The silence was longer than the alarm is old.
    const { began_at, at, ended_at } = await newest();
    expect(Date.parse(at) - Date.parse(began_at)).toBeGreaterThan(minutes(55));
    expect(Date.parse(ended_at)).toBeGreaterThan(Date.parse(at));
    // One time, on every page and in every message.
    const [{ id }] = (await browser.get('/account/incidents')).body.incidents;
    const [member] = (await browser.get(`/account/incidents/${id}`)).body.members;
    expect([member.since, member.back_at]).toEqual([began_at, ended_at]);
    await device.beat();
    await evaluate(server);
    expect((await newest()).ended_at).toBe(ended_at);
    await pass(server, minutes(61));
    expect(await alarms(browser)).toHaveLength(2);
  });

  test('do not report a device that said goodbye, until it comes back and falls silent', async () => {
    const { server, browser, devices } = await person(['Office', 'Old agent', 'Notebook']);
    await devices[0]?.beat({ goodbye: { reason: 'shutdown' } });
    await devices[1]?.report('stop');
    await devices[2]?.beat({ goodbye: { reason: 'suspend', returns_in: null } });
    await pass(server, hours(26));
    expect(await alarms(browser)).toEqual([]);
    await browser.post('/auth/refresh');
    const { computers } = (await browser.get('/computers')).body;
    expect(computers.map(({ off }: { off: { reason: string } }) => off?.reason)).toEqual([
      'shutdown',
      'stop',
      'suspend',
    ]);
    await devices[0]?.beat();
    await pass(server, minutes(59));
    expect(await alarms(browser)).toEqual([]);
    await pass(server, minutes(3));
    expect(await alarms(browser)).toEqual(['Office computer_silent']);
  });

  test('do not report that a smartphone sleeps, unless it has a rule of its own', async () => {
    const { server, browser } = await person([]);
    const phone = await addDevice(server, browser, 'Phone', 'smartphone');
    await pass(server, hours(2));
    expect(await alarms(browser)).toEqual([]);
    await addRule(browser, silentFor(5, { computers: [phone.id] }));
    await phone.beat({ goodbye: { reason: 'suspend' } });
    await pass(server, minutes(6));
    expect(await alarms(browser)).toEqual(['Phone computer_silent']);
  });

  test('report a device that does not return by the time that it announced, once', async () => {
    const { server, browser, devices } = await person(['Office', 'Server']);
    await pass(server, minutes(2), devices);
    for (const device of devices) await device.beat({ goodbye: { reason: 'restart', returns_in: 600 } });
    await pass(server, minutes(9));
    expect(await alarms(browser)).toEqual([]);
    await devices[1]?.beat();
    await pass(server, minutes(2));
    expect(await alarms(browser)).toEqual(['Office computer_silent']);
    await pass(server, minutes(30), devices.slice(1));
    expect(await alarms(browser)).toHaveLength(1);
  });

  test('of an announced return wait for the end of an outage of ours, and follow a clock that was set back', async () => {
    const { server, browser, device } = await person();
    await device.beat({ goodbye: { reason: 'restart', returns_in: 600 } });
    server.forward(hours(3));
    await evaluate(server);
    await pass(server, minutes(14));
    expect(await alarms(browser)).toEqual([]);
    await device.beat();
    await device.beat({ goodbye: { reason: 'restart', returns_in: 3600 } });
    server.forward(-days(3));
    await evaluate(server);
    await pass(server, minutes(58));
    expect(await alarms(browser)).toEqual([]);
    await pass(server, minutes(3));
    expect(await alarms(browser)).toEqual(['Office computer_silent']);
    server.forward(days(3));
    await pass(server, minutes(20));
  });

  test('report a warning once until it ends, and go on with it if it comes back soon', async () => {
    const { server, browser, device } = await person();
    await device.report('disk_low');
    await evaluate(server);
    await device.report('disk_low');
    await pass(server, minutes(3), [device]);
    expect(await alarms(browser)).toEqual(['Office disk_low']);
    const isOver = async () => {
      const { notifications } = (await browser.get('/account/notifications')).body;
      return notifications.find(({ kind }: { kind: string }) => kind === 'disk_low').ended_at !== null;
    };
    await device.report('disk_enough');
    await pass(server, minutes(1), [device]);
    expect(await isOver()).toBe(true);
    await device.report('disk_low');
    await device.report('battery_low');
    await pass(server, minutes(1), [device]);
    expect((await alarms(browser)).sort()).toEqual(['Office battery_low', 'Office disk_low']);
    expect(await isOver()).toBe(false);
    await device.report('disk_enough');
    await pass(server, minutes(4), [device]);
    await device.report('disk_low');
    await pass(server, minutes(1), [device]);
    expect(await alarms(browser)).toHaveLength(3);
  });

  test('are not lost when the incident cannot be stored: the next evaluation reports them', async () => {
    const { server, browser, email } = await person();
    await proveAddress(server, { email, browser });
    await pass(server, minutes(59));
    server.forward(seconds(80));
    await sql`alter table incident_members rename to members_away`.execute(server.store);
    try {
      await expect(evaluate(server)).rejects.toThrow();
    } finally {
      await sql`alter table members_away rename to incident_members`.execute(server.store);
    }
    expect(await alarms(browser)).toEqual([]);
    await evaluate(server);
    expect(await alarms(browser)).toEqual(['Office computer_silent']);
  });

  test('count silence only from the end of an outage of ours', async () => {
    const { server, browser } = await person();
    await pass(server, minutes(30));
    server.forward(hours(5));
    await evaluate(server);
    expect(await alarms(browser)).toEqual([]);
    await pass(server, minutes(58));
    expect(await alarms(browser)).toEqual([]);
    await pass(server, minutes(3));
    expect(await alarms(browser)).toEqual(['Office computer_silent']);
  });

  test('and lists count silence from the end of an outage of ours, and name muted devices', async () => {
    const { server, browser, device } = await person(['Office', 'Server']);
    await put(browser, `/computers/${device.id}/alarms`, { mute: 600 });
    await letPass(server, browser, hours(5));
    const listed = async () => (await browser.get('/computers')).body.computers;
    const [office, other] = await listed();
    expect([office.muted, other.muted]).toEqual([true, false]);
    expect(office.silence).toBeLessThan(minutes(5));
    expect(office.silent_for).toBeGreaterThanOrEqual(hours(5));
    await evaluate(server);
    await pass(server, minutes(31));
    await browser.post('/auth/refresh');
    for (const { silence } of await listed()) {
      expect(silence).toBeGreaterThanOrEqual(minutes(31));
      expect(silence).toBeLessThan(hours(1));
    }
  });

  test('wait a quarter of an hour after an outage of ours, since agents come back slowly', async () => {
    const { server, browser, device } = await person();
    await addRule(browser, silentFor(5));
    server.forward(hours(1));
    await evaluate(server);
    await pass(server, minutes(14));
    await device.beat();
    await pass(server, minutes(2));
    expect(await alarms(browser)).toEqual([]);
  });

  test('are not repeated, and not late, after the clock was set back', async () => {
    const { server, browser, device } = await person(['Office', 'Server']);
    await pass(server, minutes(61));
    expect(await alarms(browser)).toHaveLength(2);
    await device.beat();
    await evaluate(server);
    server.forward(-days(2));
    await evaluate(server);
    expect(await alarms(browser)).toHaveLength(2);
    await pass(server, minutes(58));
    expect(await alarms(browser)).toHaveLength(2);
    await pass(server, minutes(4));
    expect(await alarms(browser)).toHaveLength(3);
    expect((await alarms(browser))[0]).toBe('Office computer_silent');
    server.forward(days(2));
    // The jump counts as an outage, after which agents come back.
    await pass(server, minutes(20));
  });

  test('count a heartbeat at the time of the clock, even after it was set back', async () => {
    const { server, browser, device } = await person();
    server.forward(days(1));
    await device.beat();
    server.forward(-days(1));
    await device.beat();
    await browser.post('/auth/refresh');
    const [{ last_seen_at }] = (await browser.get('/computers')).body.computers;
    expect(Date.parse(last_seen_at)).toBeLessThanOrEqual(server.now());
  });

  test('are sent in one email with the reader’s time as soon as the address is confirmed', async () => {
    const { server, browser, email, devices } = await person(['Office', 'Server', 'Phone']);
    await proveAddress(server, { email, browser });
    await sql`update accounts set time_zone = 'AST' where email = ${email}`.execute(server.store);
    expect((await browser.get('/account/alarms')).body).toMatchObject({ email_confirmed: true, time_zone: 'UTC' });
    await sql`update accounts set time_zone = 'Asia/Kathmandu' where email = ${email}`.execute(server.store);
    await pass(server, minutes(65));
    const mail = await server.mailTo(email, /^Silent/);
    expect(mail.subject).toBe('Silent: Office and 2 more');
    for (const { id } of devices) expect(mail.text).toContain(`/devices/${id}/`);
    expect(mail.text).toMatch(/^For 1 hour|^For \d+ minutes, since .* [AP]M \(\d+:\d\d [AP]M UTC\)/m);
    expect((await server.mails(email)).filter(({ subject }) => /^Silent/.test(subject))).toHaveLength(1);
  });

  test('are sent by email only to a confirmed address', async () => {
    const { server, browser, email } = await person();
    await put(browser, '/account/alarms/channels', { channel: 'sms', after_minutes: 5 });
    // Nor by text message to a number that is not confirmed.
    expect((await browser.get('/account/alarms')).body).toMatchObject({ email_confirmed: false, channels: ['email'] });
    await pass(server, minutes(65));
    expect(await alarms(browser)).toEqual(['Office computer_silent']);
    const queued = await server.store
      .selectFrom('alarm_messages')
      .select('id')
      .where('recipient', '=', email)
      .execute();
    expect(queued).toEqual([]);
  });

  test('of an account that will be deleted wait until its owner has come back', async () => {
    const { server, browser, email } = await person();
    await browser.send('DELETE', '/account', { body: { password: 'rain under tin roofs' } });
    await pass(server, hours(2));
    const again = server.client();
    await again.post('/auth/login', { email, password: 'rain under tin roofs' });
    expect(await alarms(again)).toEqual([]);
    await pass(server, minutes(61));
    expect(await alarms(again)).toEqual(['Office computer_silent']);
  });

  const offHours = { kind: 'off_hours', tags: [], computers: [], time_zone: 'UTC', days_off: [] };
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16);
  const addPause = async (browser: Client, pause: object) => {
    await browser.post('/auth/refresh');
    return browser.post('/account/alarms/pauses', { ...offHours, ...pause });
  };
  const listed = async (browser: Client) => {
    await browser.post('/auth/refresh');
    const { computers } = (await browser.get('/computers')).body;
    return computers as { off: { reason: string } | null; silence: number; muted: boolean }[];
  };

  test('do not report a device in its off hours, but afterward, if it does not come back', async () => {
    const { server, browser, devices } = await person(['Office', 'Server']);
    const begin = server.now() + minutes(10);
    const hours4 = { from: clock(begin), until: clock(begin + hours(4)), computers: [devices[0]?.id] };
    expect(await addPause(browser, hours4)).toMatchObject({ status: 201, body: { pauses: [{ kind: 'off_hours' }] } });
    await pass(server, minutes(100));
    expect(await alarms(browser)).toEqual(['Server computer_silent']);
    expect((await listed(browser)).map(({ off }) => off?.reason)).toEqual(['off_hours', undefined]);
    await pass(server, hours(4) - minutes(40));
    expect(await alarms(browser)).toHaveLength(1);
    const [office] = await listed(browser);
    expect(office?.off).toBeNull();
    expect(office?.silence).toBeLessThan(hours(1));
    await pass(server, minutes(15));
    expect(await alarms(browser)).toEqual(['Office computer_silent', 'Server computer_silent']);
  });

  test('wait for the end of a planned maintenance, unless it is canceled', async () => {
    const { server, browser, device } = await person();
    const minute = (at: number) => new Date(at).toISOString().slice(0, 16);
    const window = { from: minute(server.now()), until: minute(server.now() + hours(5)) };
    const { body } = await addPause(browser, { kind: 'maintenance', days_off: undefined, ...window });
    await device.report('disk_low');
    await pass(server, minutes(90));
    expect(await alarms(browser)).toEqual([]);
    expect(await listed(browser)).toMatchObject([{ muted: true }]);
    await browser.send('DELETE', `/account/alarms/pauses/${body.pauses[0].id}`, {});
    await pass(server, minutes(1));
    expect((await alarms(browser)).sort()).toEqual(['Office computer_silent', 'Office disk_low']);
  });

  test.each<[string, object, string]>([
    ['without hours', { from: null, until: null }, '422 validation_failed from required'],
    ['with a beginning only', { from: '19:00', until: null }, '422 validation_failed until required'],
    ['of a day without a rest', { from: '19:00', until: '19:00' }, '422 validation_failed until not_understood'],
    [
      'in a zone that does not exist',
      { from: '19:00', until: '07:00', time_zone: 'Not/AZone' },
      '422 validation_failed time_zone not_understood',
    ],
    [
      'of a maintenance that ends before it begins',
      { kind: 'maintenance', from: '2026-12-02T00:00', until: '2026-12-01T00:00' },
      '422 validation_failed until not_understood',
    ],
    [
      'on a day that does not exist',
      { kind: 'maintenance', from: '2026-02-30T00:00', until: '2026-12-01T00:00' },
      '422 validation_failed from required',
    ],
  ])('have no pause %s', async (_what, body, refusal) => {
    const { browser } = await person([]);
    expect(await addPause(browser, body)).toSay(refusal);
  });

  test('have up to fifty pauses, which only their owner changes', async () => {
    const { browser } = await person([]);
    const night = { from: '19:00', until: '07:00' };
    const { body } = await addPause(browser, night);
    const path = `/account/alarms/pauses/${body.pauses[0].id}`;
    const stranger = await person([]);
    expect(await put(stranger.browser, path, { ...offHours, ...night })).toSay('404 not_found');
    expect(await stranger.browser.send('DELETE', path, {})).toSay('404 not_found');
    const changed = await put(browser, path, { ...offHours, ...night, time_zone: 'Asia/Kathmandu' });
    expect(changed.body.pauses).toMatchObject([{ time_zone: 'Asia/Kathmandu', next: [{}, {}, {}] }]);
    const { store } = await running;
    const full = JSON.stringify(Array.from({ length: 50 }, (_, at) => ({ ...offHours, ...night, id: `${at}` })));
    const { id } = (await browser.get('/account')).body;
    await store.updateTable('alarm_plans').set({ pauses: full }).where('account_id', '=', id).execute();
    expect(await addPause(browser, night)).toSay('409 alarm_limit_reached');
  });

  test('of a device cannot be changed by others, or without a session', async () => {
    const { server, device } = await person();
    const stranger = await person([]);
    const path = `/computers/${device.id}/alarms`;
    expect(await put(stranger.browser, path, { mute: 5 })).toSay('404 not_found');
    expect(await server.client().put(path, { mute: 5 })).toSay('401 not_signed_in');
    expect(await put(stranger.browser, path, { mute: 'soon' })).toSay('422 validation_failed mute not_understood');
  });

  describe('of a muted device', () => {
    test('wait for a day, and are then reported if the device is still silent', { tags: 'full' }, async () => {
      const { server, browser, device } = await person();
      const muted = await put(browser, `/computers/${device.id}/alarms`, { mute: 24 * 60 });
      expect(muted).toMatchObject({ status: 200, body: { muted: true } });
      expect(Date.parse(muted.body.muted_until) - server.now()).toBeGreaterThan(hours(23));
      await pass(server, hours(2));
      expect(await alarms(browser)).toEqual([]);
      // Another device keeps the service in touch while a day passes quickly.
      for (let passed = 0; passed < hours(22.5); passed += seconds(80)) {
        server.forward(seconds(80));
        await evaluate(server);
      }
      expect(await alarms(browser)).toEqual(['Office computer_silent']);
    });

    test('stay away until further notice', { tags: 'full' }, async () => {
      const { server, browser, device } = await person();
      const path = `/computers/${device.id}/alarms`;
      const muted = await put(browser, path, { mute: 'until_further_notice' });
      expect(muted.body).toMatchObject({ muted: true, muted_until: null });
      await device.report('battery_low');
      await pass(server, hours(2));
      expect(await alarms(browser)).toEqual([]);
      expect((await put(browser, path, { mute: null })).body).toMatchObject({ muted: false, muted_until: null });
      await evaluate(server);
      expect((await alarms(browser)).sort()).toEqual(['Office battery_low', 'Office computer_silent']);
    });
  });

  test('are held back by email during quiet hours, and all sent at their end', { tags: 'full' }, async () => {
    const { server, browser, email, devices } = await person(['Office', 'Server']);
    const alive = await person(['Elsewhere']);
    await proveAddress(server, { email, browser });
    await sql`update accounts set time_zone = 'Asia/Kathmandu' where email = ${email}`.execute(server.store);
    // 5:45 ahead of UTC. These hours began just now, and end in three hours.
    const localTime = (at: number) => new Date(at + hours(5.75)).toISOString().slice(11, 16);
    const quiet_hours = { from: localTime(server.now()), until: localTime(server.now() + hours(3)) };
    const changed = await put(browser, '/account/alarms/quiet-hours', { quiet_hours });
    expect(changed.body).toMatchObject({ quiet_hours, time_zone: 'Asia/Kathmandu' });
    await pass(server, minutes(65), [...alive.devices, devices[0] as Device]);
    await pass(server, minutes(70), alive.devices);
    expect(await alarms(browser)).toHaveLength(2);
    const queued = server.store.selectFrom('alarm_messages').select(['due_at']).where('recipient', '=', email);
    const held = await queued.execute();
    expect(held.map(({ due_at }) => localTime(due_at))).toEqual([quiet_hours.until, quiet_hours.until]);
    expect((await server.mails(email)).filter(({ subject }) => /^Silent/.test(subject))).toEqual([]);
    await pass(server, minutes(50), alive.devices);
    expect((await server.mailTo(email, /^Silent: Server/)).text).toContain('Server · ');
    expect((await server.mailTo(email, /^Silent: Office/)).text).toContain('Office · ');
    expect((await put(browser, '/account/alarms/quiet-hours', { quiet_hours: null })).body).toMatchObject({
      quiet_hours: null,
    });
  });
});
