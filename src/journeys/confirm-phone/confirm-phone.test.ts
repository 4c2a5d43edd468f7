import { describe, expect, test } from 'vitest';
import { days, hours, minutes, seconds } from '../../contract/units.ts';
import { type Client, statusAndCode, untilServed } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { startMailServer } from '../../testing/mail/mail-server.ts';
import { anyone, anyPhone, digitsTo, form, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const ask = (browser: Client, phone: string, more: object = {}) =>
  browser.post('/auth/phone/call', { phone, locale: 'de', ...more });

const confirm = (browser: Client, given: { call: unknown; digits: string }) =>
  browser.post('/auth/phone/confirm', given);

/** A browser that has requested a call, and the digits that its owner sees. */
async function calling(testServer: TestServer, { phone = anyPhone(), browser = anyone(testServer) } = {}) {
  const { call } = (await ask(browser, phone)).body;
  return { browser, phone, call: call as string, digits: await digitsTo(testServer, phone) };
}

const emails = (testServer: TestServer) => testServer.store.selectFrom('outbox').selectAll().execute();

const wrong = (digits: string) => (digits === '1111' ? '2222' : '1111');

describe.each(engines)('parallel confirmations of a phone, on %s,', async (engine) => {
  const testServer = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });

  test('three wrong tries end a call, even in parallel', async () => {
    const { browser, call, digits } = await calling(testServer);
    const guesses = await Promise.all(
      Array.from({ length: 10 }, () => confirm(browser, { call, digits: wrong(digits) })),
    );
    expect(guesses.map(statusAndCode).filter((response) => response === '422 digits_incorrect')).toHaveLength(3);
    expect(guesses.map(statusAndCode).filter((response) => response === '410 call_expired')).toHaveLength(7);
    expect(guesses.flatMap(({ body }) => body.attempts_left ?? []).sort()).toEqual([0, 1, 2]);
    expect(await confirm(browser, { call, digits })).toSay('410 call_expired');
  });

  test('of twenty concurrent requests for a number, one places a call', async () => {
    const phone = anyPhone();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => {
        const one = anyone(testServer);
        return untilServed(() => ask(one, phone));
      }),
    );
    // On a busy machine, the successful request may get a 503 although its phone rings.
    const placed = responses.map(statusAndCode).filter((response) => response !== '429 too_many_calls');
    expect(['', '201']).toContain(placed.join());
    const calls = testServer.store.selectFrom('phone_calls').select('provider').where('provider', 'is not', null);
    const number = `+${phone.replaceAll(/\D/g, '')}`;
    expect(await calls.where('phone', '=', number).execute()).toHaveLength(1);
  });
});

describe.each(usualEngines)('confirming a phone, on %s', async (engine) => {
  const testServer = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });
  async function confirmed() {
    const called = await calling(testServer);
    const response = await confirm(called.browser, { call: called.call, digits: called.digits });
    const { phone_confirmation } = response.body;
    const proof = { phone: called.phone, phone_confirmation };
    return { ...called, response, proof };
  }
  const registerAs = (browser: Client, fields: Record<string, unknown>) => browser.post('/auth/register', form(fields));
  /** The address of a new account. */
  async function taken() {
    const { browser, proof } = await confirmed();
    const person = form(proof);
    expect((await browser.post('/auth/register', person)).status).toBe(201);
    return String(person.email);
  }

  test('the last digits of the caller’s number confirm the number, and the account shows it as confirmed', async () => {
    const { browser, phone, response, proof } = await confirmed();
    expect(response).toMatchObject({ status: 200, body: { phone } });
    expect(await registerAs(browser, proof)).toSay('201');
    expect((await browser.get('/account')).body).toMatchObject({ phone, phone_confirmed: true });
  });

  test('the response describes the wait, and the call has a status', async () => {
    const browser = anyone(testServer);
    const asked = await ask(browser, anyPhone());
    expect(asked).toMatchObject({ status: 201, body: { digits: 4, expires_in: 300, resend_in: 60, attempts_left: 3 } });
    const { call } = asked.body;
    const state = async () => (await browser.get(`/auth/phone/call/${call}`)).body;
    expect(await state()).toEqual({ state: 'placed' });
    testServer.forward(minutes(5));
    expect(await state()).toEqual({ state: 'expired' });
    expect(await browser.get('/auth/phone/call/nonsense')).toSay('404 not_found');
  });

  test('an address that cannot be registered causes no call', async () => {
    const email = await taken();
    const phone = anyPhone();
    const browser = anyone(testServer);
    expect(await ask(browser, phone, { email })).toSay('409 account_exists');
    expect(await ask(browser, phone, { email: 'a@nowhere.invalid' })).toSay('422 email_cannot_be_used');
    expect(await ask(browser, phone, { email: 'nonsense' })).toSay('422 validation_failed email email_invalid');
    expect((await testServer.calls()).filter(({ to }) => to === phone)).toEqual([]);
    expect(await ask(browser, phone, { email: 'new@example.com' })).toSay('201');
  });

  test('requests for calls do not reveal accounts faster than registration', async () => {
    const email = await taken();
    const curious = anyone(testServer);
    const { REGISTRATION_GUESSES_PER_ADDRESS: limit } = testServer.config;
    for (let time = 0; time < limit; time += 1)
      expect(await ask(curious, anyPhone(), { email })).toSay('409 account_exists');
    expect(await ask(curious, anyPhone(), { email })).toSay('429 too_many_requests');
    expect(await ask(curious, anyPhone())).toSay('201');
  });

  test('a flash call and a voice call do not wait for each other', async () => {
    const browser = anyone(testServer);
    const phone = anyPhone();
    expect(await ask(browser, phone)).toSay('201');
    expect(await ask(browser, phone)).toSay('429 too_many_calls');
    expect(await ask(browser, phone, { way: 'voice' })).toSay('201');
    expect(await ask(browser, phone, { way: 'voice' })).toSay('429 too_many_calls');
  });

  test('a page that was left meanwhile gets the confirmation', async () => {
    const { browser, call, proof } = await confirmed();
    expect((await browser.get(`/auth/phone/call/${call}`)).body).toEqual({ state: 'confirmed', ...proof });
  });

  test.each([
    ['', '422 validation_failed digits required'],
    ['12a4', '422 validation_failed digits digits_only'],
    ['123', '422 validation_failed digits digits_four'],
    ['12345', '422 validation_failed digits digits_four'],
  ])('the digits %j are invalid, but do not cost a try', async (typed, expected) => {
    const { browser, call, digits } = await calling(testServer);
    for (let time = 0; time < 4; time += 1) expect(await confirm(browser, { call, digits: typed })).toSay(expected);
    expect(await confirm(browser, { call, digits })).toSay('200');
  });

  test('repeating the right digits succeeds again, and wrong digits still fail', async () => {
    const { browser, call, digits, response } = await confirmed();
    const again = await confirm(browser, { call, digits });
    expect(again.body).toEqual(response.body);
    const guess = await confirm(browser, { call, digits: wrong(digits) });
    expect(guess).toSay('422 digits_incorrect');
  });

  test('a new call to a number in the same way replaces the previous one', async () => {
    const { browser, phone, call, digits } = await calling(testServer);
    testServer.forward(seconds(60));
    expect((await ask(browser, phone)).status).toBe(201);
    expect(await confirm(browser, { call, digits })).toSay('410 call_expired');
  });

  test('a visitor has nine tries a day for a number, however many calls they request; the owner’s tries are separate', async () => {
    const [browser, phone] = [anyone(testServer), anyPhone()];
    for (let time = 0; time < 3; time += 1) {
      const { call, digits } = await calling(testServer, { phone, browser });
      for (let guess = 0; guess < 3; guess += 1) await confirm(browser, { call, digits: wrong(digits) });
      testServer.forward(minutes(21));
    }
    expect(await ask(browser, phone)).toSay('429 too_many_calls');
    const { browser: owner, call, digits } = await calling(testServer, { phone });
    expect(await confirm(owner, { call, digits })).toSay('200');
    testServer.forward(days(1));
    expect(await ask(browser, phone)).toSay('201');
  });

  test('right digits do not count toward the nine', async () => {
    const [browser, phone] = [anyone(testServer), anyPhone()];
    for (let time = 0; time < 10; time += 1) {
      const { call, digits } = await calling(testServer, { phone, browser });
      expect(await confirm(browser, { call, digits })).toSay('200');
      testServer.forward(minutes(21));
    }
  });

  test('a number is called once a minute and three times an hour, for all visitors together', async () => {
    const phone = anyPhone();
    const again = async () => statusAndCode(await ask(anyone(testServer), phone));
    expect(await again()).toBe('201');
    const refused = await ask(anyone(testServer), phone);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_calls', minutes: 1 } });
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    for (let time = 0; time < 2; time += 1) {
      testServer.forward(seconds(61));
      expect(await again()).toBe('201');
    }
    testServer.forward(seconds(61));
    expect(await again()).toBe('429 too_many_calls');
    testServer.forward(hours(1));
    expect(await again()).toBe('201');
  });

  test('a stranger’s call, digits or email do not affect another visitor’s live call', async () => {
    const { browser: owner, phone, call, digits } = await calling(testServer);
    const stranger = anyone(testServer);
    const email = `stranger${phone.slice(-6)}@example.com`;
    expect((await stranger.post('/auth/phone/mail', { phone, email, locale: 'de' })).status).toBe(201);
    testServer.forward(seconds(61));
    const other = (await ask(stranger, phone)).body;
    for (let time = 0; time < 3; time += 1) await confirm(stranger, { call: other.call, digits: wrong(digits) });
    expect(await confirm(owner, { call, digits })).toSay('200');
  });

  test.each([
    ['a premium number', '+44 9012 345678'],
    ['a shared-cost number', '+44 843 123 4567'],
    ['a satellite number', '+881 6 23456789'],
    ['a ship’s number', '+870 773 111 632'],
    ['a forwarding number', '+44 7012 345678'],
    ['a company’s number', '+1 800 234 5678'],
    ['another company’s number', '+49 700 1234567'],
  ])('%s does not belong to a person, and is not called', async (_name, phone) => {
    const calls = () => testServer.store.selectFrom('phone_calls').select('id').execute();
    const before = await calls();
    expect(await ask(anyone(testServer), phone)).toSay('422 phone_invalid');
    expect(await calls()).toEqual(before);
  });

  test('only countries named by the operator are called', async () => {
    const testServer = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', CALL_COUNTRIES: 'DE, AT' });
    expect(await ask(anyone(testServer), anyPhone())).toSay('201');
    expect(await ask(anyone(testServer), '+33 6 12 34 56 78')).toSay('422 phone_invalid');
  });

  test('the service has a daily budget', async () => {
    const poor = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', CALLS_PER_DAY: '2' });
    for (let time = 0; time < 2; time += 1) expect(await ask(anyone(poor), anyPhone())).toSay('201');
    expect(await ask(anyone(poor), anyPhone())).toSay('429 too_many_calls');
  });

  test.each([
    ['123', '422 phone_invalid'],
    ['', '422 validation_failed phone required'],
    [undefined, '422 validation_failed phone required'],
  ])('the phone %j is invalid', async (phone, expected) => {
    expect(await ask(anyone(testServer), phone as string)).toSay(expected);
  });

  describe('a registration', () => {
    const refused = '422 validation_failed phone_confirmation phone_not_confirmed';

    test.each([undefined, '', 'nonsense', 'a.b'])('needs a confirmation; %j is invalid', async (phone_confirmation) => {
      const response = await anyone(testServer).post('/auth/register', form({ phone_confirmation }));
      expect(response).toSay(refused);
    });

    test('cannot use the confirmation of another number', async () => {
      const { browser, proof } = await confirmed();
      expect(await registerAs(browser, { ...proof, phone: anyPhone() })).toSay(refused);
    });

    test('uses a confirmation once, and within an hour', async () => {
      const { browser, proof } = await confirmed();
      expect(await registerAs(browser, proof)).toSay('201');
      expect(await registerAs(browser, proof)).toSay(refused);
      const late = await confirmed();
      testServer.forward(hours(1) + 1);
      expect(await registerAs(late.browser, late.proof)).toSay(refused);
    });

    test('that fails for another reason does not use up the confirmation', async () => {
      const email = await taken();
      const { browser, proof } = await confirmed();
      expect(await registerAs(browser, { ...proof, email })).toSay('409 account_exists');
      expect(await registerAs(browser, proof)).toSay('201');
      expect(testServer.config.PHONE_CONFIRMATION).toBe('required');
    });
  });

  test('by email: an address gets three links an hour and five a day, since it may belong to a stranger', async () => {
    const email = `stranger${anyPhone().slice(-6)}@example.com`;
    const askLink = async () => {
      const link = { phone: anyPhone(), email, locale: 'de' };
      return statusAndCode(await anyone(testServer).post('/auth/phone/mail', link));
    };
    const first = [await askLink(), await askLink(), await askLink(), await askLink()];
    expect(first).toEqual(['201', '201', '201', '429 too_many_mails']);
    testServer.forward(hours(1) + minutes(1));
    expect([await askLink(), await askLink(), await askLink()]).toEqual(['201', '201', '429 too_many_mails']);
  });

  test('by email: the form behind the link confirms, opening the link does not, and the number stays unconfirmed', async () => {
    const browser = anyone(testServer);
    const phone = anyPhone();
    const email = `link${phone.slice(-6)}@example.com`;
    const { call } = (await browser.post('/auth/phone/mail', { phone, email, locale: 'de' })).body;
    const mail = await testServer.mailTo(email);
    const link = new URL(/https:\S+hash=\S+/.exec(mail.text)?.[0] ?? '');
    expect(link.pathname).toBe('/de/confirm-mail/');
    const secret = link.searchParams.get('hash');
    const other = anyone(testServer);
    for (const wrong of ['wrong', [secret]])
      expect(await other.post('/auth/phone/mail/confirm', { call, secret: wrong })).toSay(
        '410 confirmation_link_expired',
      );
    expect((await browser.get(`/auth/phone/call/${call}`)).body).toEqual({ state: 'placed' });
    const confirmed = await other.post('/auth/phone/mail/confirm', { call, secret });
    const { phone_confirmation } = (await browser.get(`/auth/phone/call/${call}`)).body;
    expect([confirmed.status, confirmed.body]).toEqual([200, { phone_confirmation, phone }]);
    expect(await browser.post('/auth/register', form({ phone, email, phone_confirmation }))).toSay('201');
    expect((await browser.get('/account')).body.phone_confirmed).toBe(false);
  });

  test('by email: repeating the right secret succeeds again, and wrong secrets still fail', async () => {
    const browser = anyone(testServer);
    const phone = anyPhone();
    const email = `twice${phone.slice(-6)}@example.com`;
    const { call } = (await browser.post('/auth/phone/mail', { phone, email, locale: 'en' })).body;
    const secret = /hash=([\w-]+)/.exec((await testServer.mailTo(email)).text)?.[1];
    const responses = [await browser.post('/auth/phone/mail/confirm', { call, secret })];
    responses.push(await browser.post('/auth/phone/mail/confirm', { call, secret }));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(responses[1]?.body).toEqual(responses[0]?.body);
    const wrong = await browser.post('/auth/phone/mail/confirm', { call, secret: 'wrong' });
    expect(wrong).toSay('410 confirmation_link_expired');
    const phone_confirmation = responses[0]?.body.phone_confirmation;
    expect(await browser.post('/auth/register', form({ phone, email, phone_confirmation }))).toSay('201');
    const late = await browser.post('/auth/phone/mail/confirm', { call, secret });
    expect(late).toSay('410 confirmation_link_expired');
  });

  test('by email: the link’s hour begins when the email is sent, however long it was queued', async () => {
    const server = await startMailServer();
    await server.close();
    const testServer = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      PHONE_CONFIRMATION_BY_MAIL: 'on',
      SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    });
    const browser = anyone(testServer);
    const wanted = { phone: anyPhone(), email: 'late@example.com', locale: 'en' };
    const { call } = (await browser.post('/auth/phone/mail', wanted)).body;
    testServer.forward(hours(3));
    const state = async () => (await browser.get(`/auth/phone/call/${call}`)).body.state;
    expect(await state()).toBe('placed');
    const back = await startMailServer({ port: server.port });
    await expect.poll(() => back.arrived.length).toBe(1);
    await expect.poll(async () => (await emails(testServer)).every(({ sent_at }) => sent_at !== null)).toBe(true);
    const link = new URL(/https:\S+hash=\S+/.exec(back.arrived[0]?.mail.text ?? '')?.[0] ?? '');
    const secret = link.searchParams.get('hash');
    testServer.forward(minutes(59));
    expect(await state()).toBe('placed');
    testServer.forward(minutes(2));
    expect(await state()).toBe('expired');
    expect(await browser.post('/auth/phone/mail/confirm', { call, secret })).toSay('410 confirmation_link_expired');
    testServer.forward(-minutes(3));
    expect((await browser.post('/auth/phone/mail/confirm', { call, secret })).status).toBe(200);
  });

  test('with “optional”, a registration needs no confirmation; with “off”, calls do not exist', async () => {
    const optional = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });
    expect((await register(optional)).email).toBeDefined();
    for (const phone_confirmation of ['nonsense', 7, ['nonsense'], {}, 'x'.repeat(201)]) {
      const response = await anyone(optional).post('/auth/register', form({ phone_confirmation }));
      expect(response).toSay('422 validation_failed phone_confirmation phone_not_confirmed');
    }
    const off = await openTestServer(engine, { PHONE_CONFIRMATION: 'off' });
    expect(await ask(off.client(), anyPhone())).toSay('404 not_found');
  });

  test('an address has the hourly limit that the operator sets, and the network around it has one as well', {
    tags: 'full',
  }, async () => {
    const testServer = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', CALLS_PER_ADDRESS: '5' });
    const countFrom = async (address: (time: number) => string) => {
      for (let time = 0; ; time += 1) {
        if (statusAndCode(await ask(testServer.client({ ip: address(time) }), anyPhone())) !== '201') return time;
      }
    };
    expect(await countFrom(() => '198.51.100.7')).toBe(5);
    expect(await countFrom((time) => `2001:db8:1:${time}::1`)).toBe(10);
    expect(await countFrom((time) => `2001:db8:1:1${time.toString().padStart(2, '0')}::1`)).toBe(10);
    expect(await countFrom((time) => `2001:db8:2:${time}00::1`)).toBe(40);
    expect(await countFrom((time) => `192.0.2.${time}`)).toBe(40);
  });

  test('a few sources cannot use up the daily budget, and the email does not depend on it', {
    tags: 'full',
  }, async () => {
    const testServer = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      PHONE_CONFIRMATION_BY_MAIL: 'on',
      CALLS_PER_DAY: '40',
    });
    for (let network = 1; network <= 8; network += 1) {
      const browser = testServer.client({ ip: `2001:db8:${network}:1::1` });
      for (let time = 0; time < 10; time += 1) await ask(browser, anyPhone());
      expect(await ask(browser, anyPhone())).toSay('429 too_many_calls');
      const email = `network${network}@example.com`;
      expect((await browser.post('/auth/phone/mail', { phone: anyPhone(), email, locale: 'de' })).status).toBe(201);
    }
    expect(await ask(anyone(testServer), anyPhone())).toSay('201');
  });
});
