import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { minutes } from '../../../contract/units.ts';
import { openKeyEncryption } from '../../../security/macs.ts';
import { otherSealedColumns, replaceSealed } from '../../../store/access/sealed-secrets.ts';
import { addDevice, addRule, pass, silentFor } from '../../../testing/alarms.ts';
import { startCallServer } from '../../../testing/call-server.ts';
import { engines } from '../../../testing/databases/databases.ts';
import { register } from '../../../testing/people.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { evaluateAlarms } from '../evaluate-alarms.ts';

/** A receiver that answers with these statuses in turn, and the last one from then on. */
async function openReceiver(...statuses: readonly number[]) {
  const receiver = await startCallServer((_, count) => [statuses[count - 1] ?? statuses.at(-1) ?? 200, {}]);
  return { url: `${receiver.url}/hooks?key=secret`, received: receiver.received };
}

async function openOwner(url: string) {
  const server = await openTestServer('sqlite', { PRIVATE_RECEIVERS: '127.0.0.0/8' });
  await evaluateAlarms(server);
  const { browser } = await register(server);
  const { secret } = (await browser.put('/account/alarms/channels/webhook', { url })).body;
  const channel = async () => {
    await browser.post('/auth/refresh');
    return (await browser.get('/account/alarms/channels')).body.channels.find(
      (one: { channel: string }) => one.channel === 'webhook',
    );
  };
  const test = async () => (await browser.post('/account/alarms/channels/test', { channel: 'webhook' })).body;
  return { server, browser, secret, channel, test };
}

/** An owner whose device is silent, and whose alarms go only to the URL. */
async function openSilence(url: string) {
  const owner = await openOwner(url);
  const { server, browser } = owner;
  const device = await addDevice(server, browser, 'Front desk');
  await addRule(browser, silentFor(5, { by: 'chosen', channels: ['webhook'] }));
  // Until the first message leaves, and not until it is tried again.
  await pass(server, minutes(16));
  const messages = () =>
    server.store
      .selectFrom('alarm_messages')
      .select(['event', 'attempts', 'leased_until', 'gave_up_at'])
      .orderBy('id')
      .execute();
  /** Waits until the first message has been tried so often, and its outcome is known. */
  const tried = (attempts: number) =>
    expect
      .poll(async () => (await messages())[0], { timeout: minutes(1) })
      .toMatchObject({ attempts, leased_until: 0 });
  return { ...owner, device, messages, tried };
}

test('an alarm reaches a URL, signed with the secret that was shown once, and again until the receiver takes it', async () => {
  const receiver = await openReceiver(503, 204);
  const { server, secret, channel, tried } = await openSilence(receiver.url);
  expect(await channel()).toMatchObject({ after_minutes: 0, recipient: new URL(receiver.url).host, broken: null });
  await tried(1);
  server.forward(minutes(1.5));
  await expect.poll(() => receiver.received.length, { timeout: minutes(1) }).toBe(2);
  const [first, second] = receiver.received;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.fields).toMatchObject({
    type: 'alarm.began',
    data: {
      title: 'Silent: Front desk',
      link: expect.stringContaining('/alarms/?incident='),
      incident: { kind: 'computer_silent', devices: 1, open: 1, members: [{ name: 'Front desk', back_at: null }] },
    },
  });
  const { headers = {}, body = '' } = second ?? {};
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(String(headers['webhook-id']), at, body));
  const isAuthentic = await documentedCheck();
  expect(isAuthentic({ secret, headers, body })).toBe(true);
  expect(isAuthentic({ secret, headers, body: body.replace('Front', 'Back') })).toBe(false);
  expect(isAuthentic({ secret: `whsec_${'A'.repeat(44)}`, headers, body })).toBe(false);
});

/** The function that docs/agents.md shows for receivers without a library. */
async function documentedCheck(): Promise<(request: object) => boolean> {
  const [, code = ''] = /^```js\n(.*?isAuthentic.*?)^```/ms.exec(readFileSync('docs/agents.md', 'utf8')) ?? [];
  const file = join(mkdtempSync(join(tmpdir(), 'vestibule-documented-')), 'check.mjs');
  writeFileSync(file, code);
  return (await import(pathToFileURL(file).href)).isAuthentic;
}

test('a press of the button twice shows one secret, which holds, and a minute later a new one', async () => {
  const receiver = await openReceiver(204);
  const { server, browser } = await openOwner(receiver.url);
  server.forward(minutes(2));
  const save = async () => (await browser.put('/account/alarms/channels/webhook', { url: receiver.url })).body.secret;
  const [first, second] = await Promise.all([save(), save()]);
  expect([second, await save()]).toEqual([first, first]);
  await browser.post('/account/alarms/channels/test', { channel: 'webhook' });
  const { headers = {}, body = '' } = receiver.received[0] ?? {};
  expect(() => new Webhook(first).verify(body, headers as Record<string, string>)).not.toThrow();
  server.forward(minutes(2));
  expect(await save()).not.toBe(first);
});

test.each(engines)('the secret of the URL stays when operators replace SECRET_KEY, on %s', async (engine) => {
  const [former, next] = ['an old secret of thirty-two characters', 'a new secret of thirty-two characters!'];
  const receiver = await openReceiver(204);
  const server = await openTestServer(engine, { PRIVATE_RECEIVERS: '127.0.0.0/8', SECRET_KEY: former });
  const { browser } = await register(server);
  const { secret } = (await browser.put('/account/alarms/channels/webhook', { url: receiver.url })).body;
  const [was, becomes] = [openKeyEncryption(former), openKeyEncryption(next)];
  await replaceSealed(server.store, otherSealedColumns, (sealed) => becomes.seal(was.open(sealed)));
  const [{ target = '' } = {}] = await server.store.selectFrom('alarm_channels').select('target').execute();
  const { url, secret: sealed } = JSON.parse(target);
  expect([url, `whsec_${becomes.open(sealed).toString('base64')}`]).toEqual([receiver.url, secret]);
});

test('the end of an alarm waits for its beginning', async () => {
  let status = 503;
  const { url, received } = await startCallServer(() => [status, {}]);
  const { server, device, tried, messages } = await openSilence(url);
  await tried(1);
  await pass(server, minutes(3), [device]);
  expect(await messages()).toMatchObject([{ event: 'began' }, { event: 'ended', attempts: 0 }]);
  status = 200;
  const types = () => received.map(({ fields }) => (fields as { type: string }).type);
  await expect
    .poll(
      () => {
        server.forward(minutes(1));
        return types().at(-1);
      },
      { timeout: minutes(1), interval: 500 },
    )
    .toBe('alarm.ended');
  expect(types().slice(0, -1)).not.toContain('alarm.ended');
  expect(types().at(-2)).toBe('alarm.began');
});

test('a message is repeated for half an hour, and given up then', async () => {
  const { server, tried, messages } = await openSilence((await openReceiver(503)).url);
  await tried(1);
  server.forward(minutes(20));
  await tried(2);
  expect(await messages()).toMatchObject([{ gave_up_at: null }]);
  server.forward(minutes(20));
  await tried(3);
  await expect.poll(messages, { timeout: minutes(1) }).toMatchObject([{ gave_up_at: expect.any(Number) }]);
});

test.each([
  [204, { state: 'sent', said: 'HTTP 204' }],
  [302, { state: 'failed', said: 'HTTP 302, a redirect, which we do not follow' }],
  [404, { state: 'failed', said: 'HTTP 404' }],
  [500, { state: 'failed', said: 'HTTP 500' }],
])('a test says what the receiver said: %i', async (status, said) => {
  const { test: send, channel } = await openOwner((await openReceiver(status)).url);
  expect(await send()).toEqual(said);
  expect((await channel()).broken).toBe(status === 204 ? null : said.said);
});

test('a receiver that is gone gets no more, until a test arrives again', async () => {
  const receiver = await openReceiver(410, 200);
  const { server, test: send, channel } = await openOwner(receiver.url);
  expect(await send()).toEqual({ state: 'failed', said: 'HTTP 410 Gone' });
  const kept = () => server.store.selectFrom('alarm_channels').select(['broken']).execute();
  expect(await kept()).toEqual([{ broken: 'HTTP 410 Gone' }]);
  expect((await channel()).broken).toBe('HTTP 410 Gone');
  expect(await send()).toEqual({ state: 'sent', said: 'HTTP 200' });
  expect(await kept()).toEqual([{ broken: null }]);
  expect((await channel()).broken).toBeNull();
});

test.each([
  'http://example.com/',
  'https://127.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::ffff:10.0.0.1]/',
  'https://user:password@example.com/',
  'javascript:alert(1)',
  'example.com',
  `https://example.com/${'x'.repeat(1000)}`,
])('nobody can name %.60s', async (url) => {
  const server = await openTestServer('sqlite');
  const { browser } = await register(server);
  const refused = await browser.put('/account/alarms/channels/webhook', { url });
  expect(refused).toSay('422 validation_failed url url_invalid');
});
