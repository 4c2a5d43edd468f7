import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { minutes } from '../../../contract/units.ts';
import { silentFor } from '../../../testing/alarms.ts';
import { startCallServer } from '../../../testing/call-server.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { register } from '../../../testing/people.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { evaluateAlarms } from '../evaluate-alarms.ts';
import { decideIncidents } from '../incidents/decide-incidents.ts';

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
  const channel = async () =>
    (await browser.get('/account/alarms/channels')).body.channels.find(
      (one: { channel: string }) => one.channel === 'webhook',
    );
  const test = async () => (await browser.post('/account/alarms/channels/test', { channel: 'webhook' })).body;
  return { server, browser, secret, channel, test };
}

test('an alarm reaches a URL, signed with the secret that was shown once, and again until the receiver takes it', async () => {
  const receiver = await openReceiver(503, 204);
  const { server, browser, secret, channel } = await openOwner(receiver.url);
  expect(await channel()).toMatchObject({ after_minutes: 0, recipient: new URL(receiver.url).host, broken: null });
  const { code } = (await browser.post('/computers/enrolments', { password: 'rain under tin roofs' })).body;
  await server.client().post('/computers/enrol', { code, name: 'Front desk', platform: 'linux' });
  await browser.post('/account/alarms/rules', silentFor(5, { by: 'chosen', channels: ['webhook'] }));
  for (let passed = 0; passed < 18; passed += 1) {
    server.forward(minutes(1));
    await evaluateAlarms(server);
    await decideIncidents(server);
  }
  // Once it is postponed, and not merely refused.
  const errors = () => server.store.selectFrom('alarm_messages').select('last_error').execute();
  await expect.poll(errors, { timeout: minutes(1) }).toEqual([{ last_error: 'HTTP 503' }]);
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
  const { headers, body = '' } = second ?? {};
  const at = new Date(Number(headers?.['webhook-timestamp']) * 1000);
  expect(headers?.['webhook-signature']).toBe(new Webhook(secret).sign(String(headers?.['webhook-id']), at, body));
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
  expect(statusAndCode(refused)).toBe('422 validation_failed url not_understood');
});
