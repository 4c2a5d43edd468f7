import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../../contract/units.ts';
import { openCalls } from '../../../phone-calls/calls.ts';
import { telegram } from '../../../phone-calls/providers/telegram.ts';
import { type Reply, startCallServer } from '../../../testing/call-server.ts';
import { anyone, anyPhone } from '../../../testing/callers.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { spentToday } from './call-budget.ts';
import { settleRefunds } from './repeated-request.ts';

describe.each(usualEngines)('digits by Telegram, on %s', (engine) => {
  async function serverWith(replies: Readonly<Record<string, () => Reply>>, settings: Record<string, string> = {}) {
    const well = () => [200, { ok: true, result: { request_id: 'r1' } }] satisfies Reply;
    const server = await startCallServer(({ path }) => (replies[path] ?? well)());
    const testServer = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'telegram',
      TELEGRAM_GATEWAY_TOKEN: 'token',
      TELEGRAM_GATEWAY_URL: server.url,
      ...settings,
    });
    const ask = (phone = anyPhone()) => {
      const browser = anyone(testServer);
      const wish = { phone, locale: 'ru', way: 'telegram' };
      return browser.post('/auth/phone/call', wish).then((asked) => ({ browser, asked }));
    };
    const askedFor = (path: string) => server.received.filter((one) => one.path === path);
    const providers = [telegram.open({ TELEGRAM_GATEWAY_TOKEN: 'token', TELEGRAM_GATEWAY_URL: server.url })];
    const { store, now } = testServer;
    const log = { info: () => undefined, warn: () => undefined };
    const service = { store, now, calls: openCalls({ providers, log, now }) };
    return { server: testServer, service, ask, askedFor };
  }

  test('a charged check counts although Telegram refuses the message after it', async () => {
    const refused: Reply = [200, { ok: false, error: 'MESSAGE_REFUSED' }];
    const { ask, askedFor } = await serverWith(
      { '/sendVerificationMessage': () => refused },
      { CONFIRMATION_BUDGET_PER_DAY: '5' },
    );
    const responses: string[] = [];
    for (let time = 0; time < 8; time += 1) responses.push(statusAndCode((await ask()).asked));
    expect(askedFor('/checkSendAbility')).toHaveLength(5);
    expect(responses.slice(5)).toEqual(Array(3).fill('429 too_many_calls'));
  });

  test('right digits are reported, and a message without remaining tries is revoked', async () => {
    const { ask, askedFor } = await serverWith({});
    const first = await ask();
    const [sent = expect.fail('nothing was sent')] = askedFor('/sendVerificationMessage');
    const { code } = sent.fields as { code: string };
    expect(code).toMatch(/^\d{6}$/);
    const { call } = first.asked.body;
    expect(statusAndCode(await first.browser.post('/auth/phone/confirm', { call, digits: code }))).toBe('200');
    await expect.poll(() => askedFor('/checkVerificationStatus')[0]?.fields).toMatchObject({ request_id: 'r1', code });
    const second = await ask();
    for (let guess = 0; guess < 3; guess += 1)
      await second.browser.post('/auth/phone/confirm', { call: second.asked.body.call, digits: '000000' });
    await expect.poll(() => askedFor('/revokeVerificationMessage').length).toBe(1);
  });

  test.each([
    ['the page that waits for it learns of it', true],
    ['no page waits for it any more', false],
  ])('a refunded message does not count toward the budget: %s', async (_, isOpen) => {
    let status: object = { delivery_status: { status: 'sent' } };
    const {
      server: testServer,
      service,
      ask,
    } = await serverWith(
      { '/checkVerificationStatus': () => [200, { ok: true, result: { request_id: 'r1', ...status } }] },
      { CONFIRMATION_BUDGET_PER_DAY: '1' },
    );
    const { browser, asked } = await ask();
    const spent = async () => spentToday(testServer.store, testServer.now());
    expect(await spent()).toBe(1);
    await settleRefunds(service);
    status = { delivery_status: { status: 'expired' }, is_refunded: true };
    const read = async () => (await browser.get(`/auth/phone/call/${asked.body.call}`)).body.state;
    if (isOpen) expect(await read()).toBe('failed');
    else {
      await settleRefunds(service);
      expect(await spent()).toBe(1);
      testServer.forward(minutes(6));
      await Promise.all([settleRefunds(service), settleRefunds(service)]);
    }
    expect(await spent()).toBe(0);
    testServer.forward(minutes(1));
    expect(statusAndCode((await ask()).asked)).toBe('201');
    expect(await spent()).toBe(1);
  });

  test('a delivered message counts, and is asked about once', async () => {
    const delivered: Reply = [
      200,
      { ok: true, result: { request_id: 'r1', delivery_status: { status: 'delivered' } } },
    ];
    const {
      server: testServer,
      service,
      ask,
      askedFor,
    } = await serverWith({
      '/checkVerificationStatus': () => delivered,
    });
    await ask();
    testServer.forward(minutes(6));
    for (let time = 0; time < 3; time += 1) {
      await settleRefunds(service);
      testServer.forward(minutes(1));
    }
    expect(askedFor('/checkVerificationStatus')).toHaveLength(1);
    expect(await spentToday(testServer.store, testServer.now())).toBe(1);
  });

  test('a message that never arrives is reported as failed, with at most four status queries a minute', async () => {
    let status = 'sent';
    const {
      server: testServer,
      ask,
      askedFor,
    } = await serverWith({
      '/checkVerificationStatus': () => [200, { ok: true, result: { request_id: 'r1', delivery_status: { status } } }],
    });
    const { browser, asked } = await ask();
    const state = async () => (await browser.get(`/auth/phone/call/${asked.body.call}`)).body.state;
    for (let time = 0; time < 5; time += 1) expect(await state()).toBe('placed');
    expect(askedFor('/checkVerificationStatus')).toHaveLength(1);
    status = 'expired';
    testServer.forward(seconds(16));
    expect(await state()).toBe('failed');
    testServer.forward(minutes(5));
    expect(await state()).toBe('expired');
  });
});
