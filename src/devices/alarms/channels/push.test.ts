import { expect, test } from 'vitest';
import { minutes } from '../../../contract/units.ts';
import { silentFor } from '../../../testing/alarms.ts';
import { engines } from '../../../testing/databases/databases.ts';
import { register } from '../../../testing/people.ts';
import { newPushBrowser, openPushService } from '../../../testing/push-service.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { evaluateAlarms } from '../evaluate-alarms.ts';
import { decideIncidents } from '../incidents/decide-incidents.ts';

test('an incident reaches the browsers of its owner, one that is gone is forgotten, and the timeline says so', async () => {
  const server = await openTestServer('sqlite', { PRIVATE_RECEIVERS: '127.0.0.0/8' });
  await evaluateAlarms(server);
  const { browser } = await register(server);
  const { key } = (await browser.get('/account/push')).body;
  const pushed = await openPushService(() => key);
  const own = newPushBrowser();
  const { p256dh, auth } = own;
  await browser.put('/account/push', { endpoint: `${pushed.origin}/one`, p256dh, auth });
  const { code } = (await browser.post('/computers/enrolments', { password: 'rain under tin roofs' })).body;
  await server.client().post('/computers/enrol', { code, name: 'Front desk', platform: 'linux' });
  await browser.post('/account/alarms/rules', silentFor(5, { by: 'chosen', channels: ['push'] }));
  for (let passed = 0; passed < 30; passed += 1) {
    server.forward(minutes(1));
    await evaluateAlarms(server);
    await decideIncidents(server);
  }
  await expect.poll(() => pushed.received.length, { timeout: minutes(1) }).toBe(1);
  expect(pushed.complaints).toEqual([]);
  const notice = JSON.parse(own.decrypt(pushed.received[0]?.body as Buffer));
  expect(notice).toMatchObject({ title: expect.stringContaining('Front desk'), lang: 'en', dir: 'ltr' });
  expect(notice.path).toMatch(/^\/alarms\/\?incident=/);
  const messages = () => server.store.selectFrom('alarm_messages').select(['sent_at', 'last_error']).execute();
  await expect.poll(messages, { timeout: minutes(1) }).toMatchObject([{ sent_at: expect.any(Number) }]);
  pushed.answer(410);
  await browser.post('/auth/refresh');
  await browser.post('/account/alarms/channels/test', { channel: 'push' });
  expect((await browser.get('/account/alarms/channels')).body.channels[1]).toMatchObject({
    ...{ channel: 'push', broken: expect.stringContaining('no browser') },
  });
  expect((await browser.get('/account/push')).body.browsers).toEqual([]);
});

test.each(engines)('what a push service says is one line without control characters, on %s', async (engine) => {
  const server = await openTestServer(engine, { PRIVATE_RECEIVERS: '127.0.0.0/8' });
  const { browser } = await register(server);
  const { key } = (await browser.get('/account/push')).body;
  const pushed = await openPushService(() => key);
  const { p256dh, auth } = newPushBrowser();
  await browser.put('/account/push', { endpoint: `${pushed.origin}/one`, p256dh, auth });
  pushed.answer(400, 'no\0such\u001b[2J\r\nbrowser');
  const { body } = await browser.post('/account/alarms/channels/test', { channel: 'push' });
  expect(body).toEqual({ state: 'failed', said: '400 no such [2J browser' });
});
