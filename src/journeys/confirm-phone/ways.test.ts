import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { type Client, statusAndCode, untilServed } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { anyone, anyPhone, form } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const ask = (browser: Client, phone: string, way: string) =>
  browser.post('/auth/phone/call', { phone, locale: 'de', way });
const newest = async (server: TestServer, phone: string) => (await server.calls()).find(({ to }) => to === phone);
const stateOf = (browser: Client, call: unknown) => browser.get(`/auth/phone/call/${call}`);

describe.each(usualEngines)('other ways to confirm a phone, on %s', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required' });
  async function waiting(phone = anyPhone()) {
    const browser = anyone(server);
    const asked = await ask(browser, phone, 'reverse');
    return { browser, phone, asked, call: asked.body.call as string };
  }

  test.each(['sms', 'telegram', 'whatsapp', 'voice'])('digits sent by %s confirm it', async (way) => {
    const browser = anyone(server);
    const phone = anyPhone();
    const { body } = await ask(browser, phone, way);
    expect(body.digits).toBe(6);
    const heard = await newest(server, phone);
    expect(heard).toMatchObject({ way });
    const digits = /\d(?: ?\d){5}/.exec(String(heard?.spoken))?.[0];
    const response = await browser.post('/auth/phone/confirm', { call: body.call, digits });
    expect(response).toMatchObject({ status: 200, body: { phone } });
    const { phone_confirmation } = response.body;
    expect(await browser.post('/auth/register', form({ phone, phone_confirmation }))).toSay('201');
    expect((await browser.get('/account')).body).toMatchObject({ phone, phone_confirmed: true });
  });

  test('a text message is in the user’s language, and its digits are bound to our origin', async () => {
    const phone = anyPhone();
    await ask(anyone(server), phone, 'sms');
    const { spoken = '' } = (await newest(server, phone)) ?? {};
    const [words = '', , last] = spoken.split('\n');
    const digits = words.slice(0, 6);
    expect(words).toBe(`${digits} ist Ihr Bestätigungscode für Vestibule.`);
    expect(last).toBe(`@door.example #${digits}`);
    expect(spoken.length).toBeLessThanOrEqual(160);
  });

  test.each([
    ['+819012345678', { locale: 'ja' }, /^[^@]*\d{6}[^@]*$/],
    ['+8613812345678', { locale: 'zh' }, /^【示例】[^@]*\d{6}[^@]*$/u],
  ])('a text message to %s follows the rules of its country', async (phone, { locale }, text) => {
    const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', SMS_SENDERS: 'CN:【示例】' });
    await anyone(server).post('/auth/phone/call', { phone, locale, way: 'sms' });
    expect((await newest(server, phone))?.spoken).toMatch(text);
  });

  test.each([
    ['on', ['whatsapp', 'telegram', 'sms', 'mail']],
    ['off', ['whatsapp', 'telegram', 'sms']],
  ])('a refusal names the ways that are left, with the email %s', async (byMail, left) => {
    const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: byMail });
    const phone = anyPhone();
    for (let time = 0; time < 2; time += 1) {
      for (const way of time === 0 ? ['ring', 'voice', 'reverse'] : ['ring'])
        expect(await ask(anyone(server), phone, way)).toSay('201');
      server.forward(seconds(61));
    }
    for (const way of ['ring', 'voice']) {
      const refused = await ask(anyone(server), phone, way);
      expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_calls', ways: left } });
      expect(refused.body.minutes).toBeGreaterThan(50);
    }
  });

  test('a call from the phone to our number confirms it without digits, once and for that page', async () => {
    const { browser, phone, asked, call } = await waiting();
    expect(asked).toMatchObject({ status: 201, body: { number: '+12025550199', expires_in: 300, resend_in: 60 } });
    expect((await stateOf(browser, call)).body).toEqual({ state: 'placed' });
    await server.callFrom(phone);
    server.forward(seconds(3));
    const standings = await Promise.all(Array.from({ length: 5 }, () => stateOf(browser, call)));
    for (const { body } of standings) expect(body).toMatchObject({ state: 'confirmed', phone });
    const { phone_confirmation } = standings[0]?.body ?? {};
    expect(await browser.post('/auth/register', form({ phone, phone_confirmation }))).toSay('201');
    expect((await browser.get('/account')).body).toMatchObject({ phone, phone_confirmed: true });
    const again = form({ phone, phone_confirmation });
    expect(await anyone(server).post('/auth/register', again)).toSay(
      '422 validation_failed phone_confirmation phone_not_confirmed',
    );
  });

  test('digits cannot replace the call', async () => {
    const { browser, call } = await waiting();
    for (const digits of ['0199', '5550', '0000'])
      expect(await browser.post('/auth/phone/confirm', { call, digits })).toSay('410 call_expired');
  });

  test('a call after five minutes does not confirm', async () => {
    const { browser, phone, call } = await waiting();
    server.forward(minutes(5));
    expect((await stateOf(browser, call)).body).toEqual({ state: 'expired' });
    await server.callFrom(phone);
    server.forward(seconds(3));
    expect((await stateOf(browser, call)).body).toEqual({ state: 'expired' });
  });

  test('a call is also detected if the clock is set back meanwhile', async () => {
    // A separate server, because the test sets its clock back.
    const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required' });
    const [browser, phone] = [anyone(server), anyPhone()];
    const { call } = (await ask(browser, phone, 'reverse')).body;
    expect((await stateOf(browser, call)).body).toEqual({ state: 'placed' });
    await server.callFrom(phone);
    server.forward(-minutes(60));
    expect((await stateOf(browser, call)).body).toMatchObject({ state: 'confirmed', phone });
  });

  test('a wait belongs to its browser: the call does not confirm another browser’s page, even behind the same IP address', async () => {
    const phone = anyPhone();
    const [owner, thief] = [server.client({ ip: '203.0.113.80' }), server.client({ ip: '203.0.113.80' })];
    const { body } = await ask(owner, phone, 'reverse');
    for (const later of [0, seconds(61), minutes(3)]) {
      server.forward(later);
      for (const other of [thief, anyone(server)]) {
        const refused = await ask(other, phone, 'reverse');
        expect(refused).toSay('409 number_in_use');
        expect(refused.body.ways).toEqual(['ring', 'voice', 'whatsapp', 'telegram', 'sms']);
      }
    }
    await server.callFrom(phone);
    server.forward(seconds(3));
    expect((await stateOf(owner, body.call)).body).toMatchObject({ state: 'confirmed', phone });
    expect(await ask(thief, phone, 'reverse')).toSay('409 number_in_use');
  });

  test('another browser cannot take over a wait that has just ended: a late call does not confirm', async () => {
    const { phone, call, browser } = await waiting();
    server.forward(minutes(9));
    expect((await stateOf(browser, call)).body).toEqual({ state: 'expired' });
    const thief = anyone(server);
    expect(await ask(thief, phone, 'reverse')).toSay('409 number_in_use');
    server.forward(minutes(1));
    expect(await ask(thief, phone, 'reverse')).toSay('201');
  });

  test('the same browser gets the same wait again, and a new one once it has ended', async () => {
    const { phone, browser, call, asked } = await waiting();
    server.forward(minutes(2));
    const again = await ask(browser, phone, 'reverse');
    expect(again).toMatchObject({ status: 201, body: { call, number: asked.body.number, expires_in: 180 } });
    server.forward(minutes(4));
    const next = await ask(browser, phone, 'reverse');
    expect(next.status).toBe(201);
    expect(next.body.call).not.toBe(call);
  });

  test('every way works once an hour, even if the others have used up their limit', async () => {
    const phone = anyPhone();
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(anyone(server), phone, 'ring')).toSay('201');
      server.forward(seconds(61));
    }
    const responses: string[] = [];
    for (const way of ['ring', 'voice', 'reverse', 'whatsapp', 'telegram', 'sms'])
      responses.push(statusAndCode(await ask(anyone(server), phone, way)));
    expect(responses).toEqual(['429 too_many_calls', '201', '201', '201', '201', '201']);
  });

  test('rings and messages have separate limits, three of each an hour', async () => {
    const phone = anyPhone();
    const isFor = async (ways: readonly string[]) => {
      const responses: string[] = [];
      for (const way of ways) {
        responses.push(statusAndCode(await ask(anyone(server), phone, way)));
        server.forward(seconds(61));
      }
      return responses;
    };
    expect(await isFor(['ring', 'voice', 'ring', 'voice'])).toEqual(['201', '201', '201', '429 too_many_calls']);
    expect(await isFor(['sms', 'sms', 'telegram', 'telegram'])).toEqual(['201', '201', '201', '429 too_many_calls']);
  });

  test('requests of strangers do not count against an account with a confirmed address', async () => {
    const phone = anyPhone();
    const first = anyone(server);
    const { body } = await ask(first, phone, 'sms');
    const digits = /\d{6}/.exec(String((await newest(server, phone))?.spoken))?.[0];
    const { phone_confirmation } = (await first.post('/auth/phone/confirm', { call: body.call, digits })).body;
    expect(await first.post('/auth/register', form({ phone, phone_confirmation }))).toSay('201');
    for (let time = 0; time < 3; time += 1) {
      server.forward(seconds(61));
      await ask(anyone(server), phone, 'ring');
    }
    server.forward(seconds(61));
    expect(await ask(anyone(server), phone, 'ring')).toSay('429 too_many_calls');
    // The device cookie identifies the browser, and the number belongs to the account.
    expect(await ask(first, phone, 'ring')).toSay('201');
    const stranger = anyone(server);
    stranger.cookies.set('__Host-device', 'x'.repeat(43));
    expect(await ask(stranger, phone, 'ring')).toSay('429 too_many_calls');
  });

  test('accounts that gave a number without confirming it share the limits of strangers: a phone rings once for all of them', async () => {
    const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });
    const phone = anyPhone();
    const responses: string[] = [];
    for (let account = 0; account < 4; account += 1) {
      const browser = anyone(server);
      expect(await browser.post('/auth/register', form({ phone }))).toSay('201');
      responses.push(statusAndCode(await ask(browser, phone, 'ring')));
    }
    expect(responses).toEqual(['201', ...Array(3).fill('429 too_many_calls')]);
    expect((await server.calls()).filter(({ to }) => to === phone)).toHaveLength(1);
  });

  test('the digits of a live call still confirm after the user requested another way', async () => {
    const [browser, phone] = [anyone(server), anyPhone()];
    await ask(browser, phone, 'ring');
    const digits = String((await newest(server, phone))?.from).slice(-4);
    const { call } = (await ask(browser, phone, 'sms')).body;
    expect((await browser.post('/auth/phone/confirm', { call, digits })).body).toMatchObject({ phone });
  });

  test('a stranger’s call to the number does not accept those digits', async () => {
    const [owner, stranger, phone] = [anyone(server), anyone(server), anyPhone()];
    await ask(owner, phone, 'ring');
    const digits = String((await newest(server, phone))?.from).slice(-4);
    const { call } = (await ask(stranger, phone, 'sms')).body;
    expect(await stranger.post('/auth/phone/confirm', { call, digits })).toSay('422 validation_failed digits code_six');
  });

  test.each([
    ['a landline', '+493012345678', ['ring', 'voice', 'reverse']],
    ['a mobile', '+4915123456789', ['ring', 'voice', 'reverse', 'whatsapp', 'telegram', 'sms']],
  ])('messages go only to numbers that can receive them: %s', async (_kind, phone, reach) => {
    const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required' });
    const { body } = await ask(anyone(server), phone, 'ring');
    expect(['ring', ...body.ways]).toEqual(reach);
    for (const way of ['whatsapp', 'telegram', 'sms']) {
      const refused = await ask(anyone(server), phone, way);
      expect(refused.status).toBe(reach.includes(way) ? 201 : 503);
      if (refused.status === 503)
        expect(refused.body).toMatchObject({ code: 'call_failed', ways: ['voice', 'reverse'] });
    }
  });

  test('ways that the operator does not offer never reach a phone and do not count', async () => {
    const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', CONFIRMATION_WAYS: 'sms,ring' });
    const [browser, phone] = [anyone(server), anyPhone()];
    for (const way of ['reverse', 'voice', 'telegram']) expect(await ask(browser, phone, way)).toSay('503 call_failed');
    expect(await server.calls()).toEqual([]);
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(browser, phone, 'sms')).toSay('201');
      server.forward(seconds(61));
    }
  });

  test('an unknown way is refused', async () =>
    expect(statusAndCode(await ask(anyone(server), anyPhone(), 'pigeon'))).toContain('422'));
});

describe.each(engines)('parallel waits for a call, on %s,', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required' });

  test('of twenty browsers that request a wait for a number concurrently, one gets it', async () => {
    const phone = anyPhone();
    const other = engine === 'postgres' ? await server.otherNode() : server;
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const one = anyone(at % 2 ? server : other);
        return untilServed(() => ask(one, phone, 'reverse'));
      }),
    );
    expect(responses.map(statusAndCode).toSorted()).toEqual(['201', ...Array(19).fill('409 number_in_use')]);
  });
});
