import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { days, hours, minutes } from '../../../contract/units.ts';
import { addDevice, openRunning, pass, put, silentFor } from '../../../testing/alarms.ts';
import { startCallServer } from '../../../testing/call-server.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { proveAddress, register } from '../../../testing/people.ts';
import { newPushBrowser, openPushService } from '../../../testing/push-service.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';
import { evaluateAlarms } from '../evaluate-alarms.ts';

/** An owner with a silent computer, and a confirmed address and number. */
async function openOwner(server: TestServer) {
  await evaluateAlarms(server);
  const { browser, email } = await register(server);
  await proveAddress(server, { email, browser });
  await sql`update accounts set phone_confirmed_at = 1 where email = ${email}`.execute(server.store);
  const device = await addDevice(server, browser, 'Front desk');
  await browser.post('/auth/refresh');
  await browser.post('/account/alarms/rules', silentFor(5));
  const read = async (path: string) => {
    await browser.post('/auth/refresh');
    return (await browser.get(path)).body;
  };
  const patch = async (path: string, body: object) => {
    await browser.post('/auth/refresh');
    const headers = { 'x-csrf-token': browser.cookies.get('csrf_token') ?? '' };
    return browser.send('PATCH', path, { body, headers });
  };
  return { browser, email, device, read, patch };
}

/** For what a worker does. */
const within = { timeout: minutes(1) };

test.each(usualEngines)(
  'an incident calls, is acknowledged by a key, and keeps its messages, on %s',
  async (engine) => {
    const server = await openTestServer(engine);
    const { browser, email, device, read, patch } = await openOwner(server);
    expect(
      (await put(browser, '/account/alarms/channels', { channel: 'call', after_minutes: 1 })).body.channels,
    ).toMatchObject([
      { channel: 'email', after_minutes: 0, recipient: email },
      { channel: 'push', after_minutes: null, recipient: null },
      { channel: 'webhook', after_minutes: null },
      { channel: 'sms', after_minutes: null },
      { channel: 'call', after_minutes: 1, recipient: '…89', broken: null },
    ]);
    await pass(server, minutes(18));
    await expect.poll(() => server.calls(), within).toHaveLength(1);
    const [{ spoken = '', way } = {}] = await server.calls();
    expect(way).toBe('voice');
    expect(spoken).toContain('Silent: Front desk. To acknowledge, press 1.');
    const path = new URL(spoken.match(/https:\S+/)?.[0] ?? '').pathname;
    const press = (address: string) => fetch(new URL(address, server.url)).then((response) => response.text());
    const isAcknowledged = async () => (await read('/account/incidents')).incidents[0].acknowledged_at !== null;
    const [{ id }] = (await read('/account/incidents')).incidents;
    const answered = async () => (await read(`/account/incidents/${id}`)).messages[1].answer;
    // A forged proof, a call that ends without a key, as in a mailbox, and another key.
    expect(await press(`${path.slice(0, -4)}AAAA?Digits=1`)).not.toContain('<Say');
    expect(await answered()).toBeNull();
    expect(await press(`${path}?CallStatus=completed`)).not.toContain('<Say');
    expect(await answered()).toBe('answered');
    expect(await press(`${path}?Digits=5`)).toContain('Nothing was acknowledged');
    expect(await isAcknowledged()).toBe(false);
    const unread = async () => (await read('/account')).unread_notifications;
    expect(await unread()).toBe(1);
    expect(await press(`${path}?Digits=1&CallStatus=in-progress`)).toContain('The alarm is acknowledged');
    expect(await unread()).toBe(0);
    await press(`${path}?CallStatus=completed`);
    expect(await answered()).toBe('acknowledged');
    expect(await isAcknowledged()).toBe(true);
    await pass(server, minutes(10));
    expect(await server.calls()).toHaveLength(1);
    // Who takes it back is called again.
    expect((await patch(`/account/incidents/${id}`, { acknowledged: false })).body).toMatchObject({
      ...{ acknowledged_at: null, acknowledged_until: null },
    });
    await pass(server, minutes(3));
    await expect.poll(() => server.calls(), within).toHaveLength(2);
    const { body: again } = await patch(`/account/incidents/${id}`, { acknowledged: true });
    expect(Date.parse(again.acknowledged_until) - Date.parse(again.acknowledged_at)).toBe(days(1));
    const begun = await server.mailTo(email, /^Silent: Front desk$/);
    expect(begun.text).toContain(`/devices/${device.id}/`);
    for (let minute = 0; minute < 3; minute += 1) {
      await device.beat();
      await pass(server, minutes(1));
    }
    const ended = await server.mailTo(email, /^Resolved: Front desk$/);
    // One thread, whose root is not an email, so that their order does not matter.
    const threads = [begun, ended].map(({ headers }) => headers.References);
    expect(threads[0]).toMatch(/^<incident\./);
    expect(threads[1]).toBe(threads[0]);
    const changed = await patch(`/account/incidents/${id}`, { note: 'The switch.' });
    expect(changed.body).toMatchObject({
      note: 'The switch.',
      messages: expect.arrayContaining([
        expect.objectContaining({ channel: 'email', event: 'began', recipient: email, state: 'sent' }),
        expect.objectContaining({ channel: 'call', event: 'escalated', recipient: '…89', state: 'sent' }),
        expect.objectContaining({ channel: 'email', event: 'ended', state: 'sent' }),
      ]),
    });
    expect(await patch(`/account/incidents/${id}`, { note: 'x'.repeat(2001) })).toSay(
      '422 validation_failed note note_too_long',
    );
    expect((await read('/account/incidents')).unseen).toBe(0);
    const stranger = await register(server);
    expect(await stranger.browser.get(`/account/incidents/${id}`)).toSay('404 not_found');
    expect(await browser.post('/account/alarms/channels/test', { channel: 'fax' })).toSay(
      '422 validation_failed channel not_understood',
    );
  },
);

const limits: readonly [what: string, settings: Record<string, string>, error: RegExp][] = [
  ['the operator has switched them off', { ALARM_CALLS: 'off' }, /switched off/],
  ['the share of the budget is used up', { CONFIRMATION_BUDGET_PER_DAY: '4' }, /budget/],
  ['the country is not called', { CALL_COUNTRIES: 'FR' }, /not called/],
];

test.each(limits)('a call does not leave if %s, and the owner can see why', async (_what, settings, error) => {
  const server = await openTestServer('sqlite', settings);
  const { browser, read } = await openOwner(server);
  const { body: said } = await browser.post('/account/alarms/channels/test', { channel: 'call' });
  expect(said).toEqual({ state: 'failed', said: expect.stringMatching(error) });
  expect(await server.calls()).toEqual([]);
  expect((await read('/account/incidents')).incidents).toEqual([]);
});

test('an account gets ten calls a day, and none on a number that it has not confirmed', async () => {
  const server = await openTestServer('sqlite');
  const { browser, email, read } = await openOwner(server);
  const test = async (ago: number) => {
    server.forward(ago);
    await read('/account');
    return (await browser.post('/account/alarms/channels/test', { channel: 'call' })).body;
  };
  const called = async () =>
    (await read('/account/alarms/channels')).channels.find((one: { channel: string }) => one.channel === 'call');
  for (let time = 0; time < 10; time += 1) expect(await test(minutes(10))).toEqual({ state: 'sent', said: '' });
  expect(await called()).toMatchObject({ broken: null, broken_since: null });
  const since = server.now() + minutes(10);
  for (let time = 0; time < 2; time += 1)
    expect(await test(minutes(10))).toEqual({ state: 'failed', said: '10 a day' });
  expect(await server.calls()).toHaveLength(10);
  // Broken since the first failure, until a test succeeds.
  const trouble = await called();
  expect(trouble.broken).toBe('10 a day');
  expect(Math.abs(Date.parse(trouble.broken_since) - since)).toBeLessThan(minutes(5));
  await test(days(2));
  expect(await called()).toMatchObject({ broken: null });
  await sql`update accounts set phone_confirmed_at = null where email = ${email}`.execute(server.store);
  await browser.post('/auth/login', { email, password: 'rain under tin roofs' });
  expect(await browser.post('/account/alarms/channels/test', { channel: 'call' })).toSay('404 not_found');
});

test.each([
  ['a landline gets no text messages', '+493012345678', {}, ['call']],
  ['a number in a country that is not called gets nothing', '+4915123456789', { CALL_COUNTRIES: 'FR' }, []],
])('only channels are offered that can reach the number: %s', async (_what, phone, settings, offered) => {
  const server = await openTestServer('sqlite', settings);
  const { email, read } = await openOwner(server);
  await sql`update accounts set phone = ${phone} where email = ${email}`.execute(server.store);
  const { channels } = await read('/account/alarms/channels');
  const names = channels.map(({ channel }: { channel: string }) => channel);
  expect(names).toEqual(['email', 'push', 'webhook', ...offered]);
});

/** Without the isolates that surround values. */
const read = (text: string) => text.replace(/[\u2066-\u2069]/g, '');

test.each(usualEngines)(
  'the end of an alarm about a value says in each channel how long it lasted, and the value then, on %s',
  async (engine) => {
    const receiver = await startCallServer(({ path }) =>
      path.endsWith('/sendMessage') ? [200, { ok: true, result: { message_id: 1 } }] : [200, { ok: true, result: [] }],
    );
    const server = await openRunning(engine, {
      ...{ PRIVATE_RECEIVERS: '127.0.0.0/8', TELEGRAM_BOT_TOKEN: '1:secret', TELEGRAM_BOT_URL: receiver.url },
    });
    const { browser, email } = await register(server);
    await proveAddress(server, { email, browser });
    await sql`update accounts set phone_confirmed_at = 1 where email = ${email}`.execute(server.store);
    const device = await addDevice(server, browser, 'Front desk');
    const { key } = (await browser.get('/account/push')).body;
    const pushed = await openPushService(() => key);
    const { decrypt, p256dh, auth } = newPushBrowser();
    await put(browser, '/account/push', { endpoint: `${pushed.origin}/one`, p256dh, auth });
    await put(browser, '/account/alarms/channels/webhook', { url: `${receiver.url}/hook` });
    await put(browser, '/account/alarms/channels', { channel: 'sms', after_minutes: 0 });
    const known = await server.store.selectFrom('alarm_channels').selectAll().where('channel', '=', 'sms').execute();
    const target = JSON.stringify({ chat: 7, name: 'Ada' });
    await server.store
      .insertInto('alarm_channels')
      .values(known.map((row) => ({ ...row, channel: 'telegram' as const, target })))
      .execute();

    const chat = () => sent('/sendMessage').map(({ text }) => read(text as string));
    const sent = (end: string) =>
      receiver.received.filter(({ path }) => path.endsWith(end)).map(({ fields }) => fields as Record<string, unknown>);
    const arrived = async () => [
      chat().length,
      sent('/hook').length,
      pushed.received.length,
      (await server.calls()).filter(({ way }) => way === 'sms').length,
    ];
    await device.beat({ readings: { disk_free: 4, disk_size: 100 } });
    await pass(server, minutes(2), [device]);
    await expect.poll(arrived, within).toEqual([1, 1, 1, 1]);
    server.forward(hours(2));
    await device.beat({ readings: { disk_free: 39, disk_size: 100 } });
    await pass(server, minutes(3), [device]);
    await expect.poll(arrived, within).toEqual([2, 2, 2, 2]);

    const facts = '2 hours · Free disk space: 39%';
    expect(chat()[1]).toContain(`Front desk · ${facts}`);
    expect(sent('/hook')[1]).toMatchObject({
      type: 'alarm.ended',
      data: {
        lines: [expect.stringMatching(/^It lasted 2 hours/), `Front desk · ${facts}`],
        incident: { members: [{ name: 'Front desk', end_value: 39 }] },
      },
    });
    const notice = JSON.parse(decrypt(pushed.received[1]?.body as Buffer));
    expect(read(notice.body)).toContain(`Front desk · ${facts}`);
    expect((await server.calls())[0]?.spoken).toContain(`Resolved: Front desk · ${facts}`);
    expect(read((await server.mailTo(email, /^Resolved/)).text)).toContain(`Front desk · ${facts}`);
    await browser.post('/auth/refresh');
    const [{ id }] = (await browser.get('/account/incidents')).body.incidents;
    expect((await browser.get(`/account/incidents/${id}`)).body.members).toMatchObject([{ end_value: 39 }]);
  },
);
