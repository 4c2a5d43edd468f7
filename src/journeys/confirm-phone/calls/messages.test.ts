import { describe, expect, it, test } from 'vitest';
import { hours, minutes, seconds } from '../../../contract/units.ts';
import { openCalls } from '../../../phone-calls/calls.ts';
import { telegram } from '../../../phone-calls/providers/telegram.ts';
import { providerRates } from '../../../store/calls/call-outcomes.ts';
import { type Reply, startCallServer } from '../../../testing/call-server.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { anyone, anyPhone } from '../../../testing/people.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { spentToday } from './call-budget.ts';
import { callResendPause } from './call-rate-limits.ts';
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
    expect(await first.browser.post('/auth/phone/confirm', { call, digits: code })).toSay('200');
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
    expect((await ask()).asked).toSay('201');
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

const accepted: Reply = [200, { messaging_product: 'whatsapp', messages: [{ id: 'wamid.one' }] }];
const undeliverable: Reply = [
  400,
  { error: { message: 'Message undeliverable', type: 'OAuthException', code: 131026 } },
];

describe.each(usualEngines)('digits by WhatsApp, on %s', (engine) => {
  async function serverWith(reply: () => Reply) {
    const api = await startCallServer(reply);
    const server = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'whatsapp',
      WHATSAPP_TOKEN: 'token',
      WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
      WHATSAPP_TEMPLATE: 'confirmation_code',
      WHATSAPP_LANGUAGES: 'en_US,de',
      WHATSAPP_URL: api.url,
    });
    return { server, api };
  }
  const wish = { phone: '+4915115000001', locale: 'de', way: 'whatsapp' };

  test('six digits in the user’s language confirm the number', async () => {
    const { server, api } = await serverWith(() => accepted);
    const browser = server.client();
    const { status, body } = await browser.post('/auth/phone/call', wish);
    expect({ status, digits: body.digits }).toEqual({ status: 201, digits: 6 });
    const [{ fields } = expect.fail('no request')] = api.received;
    const { template } = fields as { template: { components: { parameters: { text: string }[] }[] } };
    expect(template).toMatchObject({ name: 'confirmation_code', language: { code: 'de' } });
    const digits = template.components[0]?.parameters[0]?.text;
    expect(digits).toMatch(/^\d{6}$/);
    const confirmed = await browser.post('/auth/phone/confirm', { call: body.call, digits });
    expect(confirmed).toMatchObject({ status: 200, body: { phone: wish.phone } });
  });

  test('a refusal does not name other methods, and does not use up the number’s messages', async () => {
    const { server } = await serverWith(() => undeliverable);
    for (let time = 0; time < 4; time += 1) {
      const refused = await server.client().post('/auth/phone/call', wish);
      expect(refused).toSay('503 call_failed');
      expect(refused.body.ways).toEqual([]);
    }
  });

  test('a landline cannot get it', async () => {
    const { server, api } = await serverWith(() => accepted);
    const refused = await server.client().post('/auth/phone/call', { ...wish, phone: '+493012345678' });
    expect(refused).toSay('503 call_failed');
    expect(api.received).toEqual([]);
  });
});

const sid = `SM${'fedcba9876543210'.repeat(2)}`;

describe.each(usualEngines)('text messages that the provider reports as lost, on %s', (engine) => {
  test('make the page offer other ways, and count in the provider’s confirmation rate before they expire', async () => {
    let status = 'sent';
    const twilio = await startCallServer(({ method }) => [200, method === 'GET' ? { sid, status } : { sid }]);
    const server = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'twilio',
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      TWILIO_NUMBERS: '+13035550143,+13035550178',
      TWILIO_SMS_FROM: '+13035550143',
      TWILIO_URL: twilio.url,
    });
    const browser = server.client();
    const wish = { phone: '+4915117000010', locale: 'de', way: 'sms' };
    const { body } = await browser.post('/auth/phone/call', wish);
    const state = async () => (await browser.get(`/auth/phone/call/${body.call}`)).body.state;
    const rates = () =>
      providerRates(server.store, { way: 'sms', country: 'DE', since: server.now() - hours(1), now: server.now() });
    expect(await state()).toBe('placed');
    expect(await rates()).toEqual([]);
    status = 'undelivered';
    server.forward(seconds(16));
    expect(await state()).toBe('failed');
    expect(await rates()).toEqual([{ provider: 'twilio', placed: 1, confirmed: 0 }]);
    // The status is final, and is not queried again.
    const queries = twilio.received.length;
    server.forward(seconds(16));
    expect(await state()).toBe('failed');
    expect(twilio.received).toHaveLength(queries);
    // The digits stay valid: the provider may be wrong.
    const [{ fields } = expect.fail('no message')] = twilio.received;
    const digits = /\d{6}/.exec((fields as { Body: string }).Body)?.[0];
    expect((await browser.post('/auth/phone/confirm', { call: body.call, digits })).status).toBe(200);
  });
});

const breaksOff: Reply = (response) => response.destroy();

it.each(usualEngines)(
  'a phone that two providers may have rung twice does not get a further call, on %s',
  async (engine) => {
    const [ucaller, smsru] = [await startCallServer(() => breaksOff), await startCallServer(() => breaksOff)];
    const server = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'ucaller,smsru',
      UCALLER_URL: ucaller.url,
      UCALLER_SERVICE_ID: '1',
      UCALLER_SECRET: 'secret',
      SMSRU_URL: smsru.url,
      SMSRU_API_ID: 'id',
    });
    const ask = () => server.client().post('/auth/phone/call', { phone: '+4915113001000', locale: 'de' });
    expect(await ask()).toSay('503 call_failed');
    server.forward(callResendPause + 1);
    expect(await ask()).toSay('503 call_failed');
    server.forward(callResendPause + 1);
    expect(await ask()).toSay('429 too_many_calls');
    expect([ucaller.received.length, smsru.received.length]).toEqual([2, 2]);
  },
);
