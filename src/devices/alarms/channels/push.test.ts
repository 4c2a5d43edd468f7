import { describe, expect, test } from 'vitest';
import { days, minutes } from '../../../contract/units.ts';
import { cleanUp } from '../../../store/clean-up.ts';
import { addDevice, addRule, openRunning, pass, silentFor } from '../../../testing/alarms.ts';
import type { Client } from '../../../testing/client.ts';
import { engines, usualEngines } from '../../../testing/databases/databases.ts';
import { password, register } from '../../../testing/people.ts';
import { newPushBrowser, openPushService } from '../../../testing/push-service.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { outdatedOfDevices } from '../../account-part.ts';

describe.each(usualEngines)('web push, on %s', (engine) => {
  const server = openTestServer(engine, { PRIVATE_RECEIVERS: '127.0.0.0/8' });
  let key = '';
  const service = openPushService(() => key);

  async function person() {
    const { browser, email } = await register(await server);
    ({ key } = (await browser.get('/account/push')).body);
    return { browser, email };
  }

  let places = 0;
  async function subscribe(browser: Client) {
    places += 1;
    const keys = newPushBrowser();
    const { origin } = await service;
    const { p256dh, auth } = keys;
    const subscription = { endpoint: `${origin}/send/${places}`, p256dh, auth };
    const kept = await browser.put('/account/push', subscription);
    expect(kept.status).toBe(200);
    return { ...keys, subscription, id: kept.body.id as string };
  }
  const listed = async (browser: Client) =>
    (await browser.get('/account/push')).body.browsers.map(({ id }: { id: string }) => id);

  test('a test notice reaches its browser encrypted, signed and with what the worker shows', async () => {
    const { browser } = await person();
    const { decrypt } = await subscribe(browser);
    (await service).answer(201);
    expect((await browser.post('/account/alarms/channels/test', { channel: 'push' })).body).toEqual({
      ...{ state: 'sent', said: '201' },
    });
    expect((await service).complaints).toEqual([]);
    const { body } = (await service).received.at(-1) ?? {};
    expect(JSON.parse(decrypt(body as Buffer))).toMatchObject({
      title: expect.stringContaining('test alarm'),
      path: '/alarms/',
    });
  });

  test.each([
    [400, 'UnauthorizedRegistration', '400 UnauthorizedRegistration', 1],
    [403, 'BadJwtToken', '403 BadJwtToken', 1],
    [429, '', '429', 1],
    [500, 'Oops', '500 Oops', 1],
    [404, '', 'no browser has this subscription any longer', 0],
    [410, 'expired', 'no browser has this subscription any longer', 0],
  ] as const)('the test says what the push service said: %i %s', async (status, answer, said, left) => {
    const { browser } = await person();
    await subscribe(browser);
    (await service).answer(status, answer);
    expect((await browser.post('/account/alarms/channels/test', { channel: 'push' })).body).toEqual({
      ...{ state: 'failed', said },
    });
    expect(await listed(browser)).toHaveLength(left);
  });

  test('a browser that renews its subscription stays one, and one that another account uses changes hands', async () => {
    const { browser } = await person();
    const { subscription, id } = await subscribe(browser);
    expect((await browser.put('/account/push', subscription)).body).toEqual({ id });
    expect(await listed(browser)).toEqual([id]);
    const other = await person();
    await other.browser.put('/account/push', subscription);
    expect(await listed(browser)).toEqual([]);
    expect(await listed(other.browser)).toHaveLength(1);
    expect(await browser.send('DELETE', `/account/push/${id}`, {})).toSay('404 not_found');
  });

  test('an account keeps ten browsers, the last seen ones', async () => {
    const { browser } = await person();
    const first = await subscribe(browser);
    for (let count = 0; count < 10; count += 1) {
      (await server).forward(10);
      await subscribe(browser);
    }
    const ids = await listed(browser);
    expect(ids).toHaveLength(10);
    expect(ids).not.toContain(first.id);
  });

  test('whoever signs out gets no more, whose session expires does', async () => {
    const { browser, email } = await person();
    await subscribe(browser);
    const phone = (await server).client();
    await phone.post('/auth/login', { email, password });
    const { id } = await subscribe(phone);
    await browser.post('/auth/logout');
    expect(await listed(phone)).toEqual([id]);
    (await server).forward(days(40));
    const again = (await server).client();
    await again.post('/auth/login', { email, password });
    expect(await listed(again)).toEqual([id]);
    const { store, now } = await server;
    await cleanUp(store, {
      now: now(),
      activityKept: days(365),
      others: outdatedOfDevices({ now: now(), recordsKept: days(30) }),
    });
    const kept = await store.selectFrom('push_subscriptions').select('id').execute();
    expect(kept.filter((row) => row.id === id)).toHaveLength(1);
  });

  test.each([
    ['endpoint', { endpoint: 'https://10.0.0.1/x' }],
    ['endpoint', { endpoint: 'javascript:alert(1)' }],
    ['endpoint', { endpoint: 'http://push.example.net@127.0.0.1/' }],
    ['p256dh', { p256dh: 'AAAA' }],
    ['p256dh', { auth: 'AAAA' }],
  ])('refuses a wrong %s: %j', async (field, wrong) => {
    const { browser } = await person();
    const { p256dh, auth } = newPushBrowser();
    const refused = await browser.put('/account/push', {
      endpoint: 'https://push.example.net/x',
      p256dh,
      auth,
      ...wrong,
    });
    expect(refused).toSay(`422 validation_failed ${field} not_understood`);
  });
});

test('an incident reaches the browsers of its owner, one that is gone is forgotten, and the timeline says so', async () => {
  const server = await openRunning('sqlite', { PRIVATE_RECEIVERS: '127.0.0.0/8' });
  const { browser } = await register(server);
  const { key } = (await browser.get('/account/push')).body;
  const pushed = await openPushService(() => key);
  const own = newPushBrowser();
  const { p256dh, auth } = own;
  await browser.put('/account/push', { endpoint: `${pushed.origin}/one`, p256dh, auth });
  await addDevice(server, browser, 'Front desk');
  await addRule(browser, silentFor(5, { by: 'chosen', channels: ['push'] }));
  await pass(server, minutes(8));
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
