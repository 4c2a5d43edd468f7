import { describe, expect, test } from 'vitest';
import { days, minutes } from '../../contract/units.ts';
import { addAuthenticator, beginSignIn, registerWithAuthenticator } from '../../testing/authenticator.ts';
import { type Client, claimsOf, statusAndCode } from '../../testing/client.ts';
import { placeOf, runCommand } from '../../testing/command-line.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { secretsIn } from '../../testing/outbox.ts';
import { password, registerProven, resetByEmail, signedInByCode } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const word = 'stones in the river';
const pendingCookie = '__Host-pending_sign_in';

/** A person with a proven address and an authenticator. */
async function equipProven(server: TestServer) {
  const person = await registerProven(server);
  return { ...person, app: await addAuthenticator(server, person.browser) };
}

const complete = async (browser: Client, body: object) => statusAndCode(await browser.post('/auth/second-step', body));

describe.each(engines)('second steps that meet, on %s,', async (engine) => {
  const server = await openTestServer(engine, {
    RECOVERY_MAILS_PER_ACCOUNT: '100',
    RECOVERY_MAILS_PER_ADDRESS: '1000',
  });

  test('accepts a code only once, in parallel, on two nodes and over many sign-ins', async () => {
    const otherNode = await server.otherNode();
    const { email, app } = await registerWithAuthenticator(server);
    const browsers = await Promise.all([0, 1, 2, 3].map((at) => beginSignIn(at % 2 ? otherNode : server, email)));
    const code = app.nextCode();
    const outcomes = await Promise.all(browsers.map((browser) => complete(browser, { code })));
    expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === '422 code_incorrect')).toHaveLength(3);
  });

  test('admits once, even if the code and a recovery code of one sign-in arrive together', async () => {
    const otherNode = await server.otherNode();
    const { email, app } = await registerWithAuthenticator(server);
    const browser = await beginSignIn(server, email);
    const elsewhere = otherNode.client();
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    const outcomes = await Promise.all([
      complete(browser, { code: app.nextCode() }),
      complete(elsewhere, { recovery_code: app.recoveryCodes[0] }),
    ]);
    expect(outcomes.sort()).toEqual(['200', '410 sign_in_expired']);
    expect(await complete(browser, { code: app.nextCode() })).toBe('410 sign_in_expired');
  });
});

describe.each(usualEngines)('the second step of a sign-in, on %s,', async (engine) => {
  const server = await openTestServer(engine, {
    RECOVERY_MAILS_PER_ACCOUNT: '100',
    RECOVERY_MAILS_PER_ADDRESS: '1000',
  });
  test('needs a code after the right password, survives a reload, and begins a session of two factors', async () => {
    const { email, app } = await registerWithAuthenticator(server);
    expect(await server.client().post('/auth/login', { email, password: 'wrong one' })).toSay(
      '401 incorrect_login_or_password',
    );
    const browser = server.client();
    const response = await browser.post('/auth/login', { email, password });
    expect(response).toMatchObject({ status: 401, body: { ways: ['authenticator', 'recovery_code'] } });
    expect(response.headers.getSetCookie().find((line) => line.startsWith(pendingCookie))).toMatch(
      /; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax/,
    );
    expect((await browser.get('/auth/second-step')).body).toEqual({
      ways: ['authenticator', 'recovery_code'],
      removal_at: null,
    });
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended no_session');
    const wrong = await browser.post('/auth/second-step', { code: '000000' });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'code_incorrect', attempts_left: 4 } });
    expect(await complete(browser, { code: app.nextCode() })).toBe('200');
    expect(claimsOf(browser)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' });
    expect(browser.cookies.has(pendingCookie)).toBe(false);
    expect((await browser.get('/auth/second-step')).body).toEqual({ ways: [], removal_at: null });
    expect(await browser.get('/account/export')).toSay('200');
    await browser.post('/auth/refresh');
    expect(claimsOf(browser)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' });
  });

  test.each([
    ['none', {}],
    ['two', { code: '123456', recovery_code: 'abcde-fghij' }],
  ])('refuses %s of its proofs', async (_how, body) => {
    const { email } = await registerWithAuthenticator(server);
    expect(await complete(await beginSignIn(server, email), body)).toBe('422 validation_failed code required');
  });

  test('accepts the codes of the step before and after, and each only once', async () => {
    const { email, app } = await registerWithAuthenticator(server);
    // Forward to the beginning of a step, so that it does not end while the test runs.
    server.forward(minutes(2) - (server.now() % 30_000));
    const first = app.code(-1);
    expect(await complete(await beginSignIn(server, email), { code: app.code(-2) })).toBe('422 code_incorrect');
    expect(await complete(await beginSignIn(server, email), { code: first })).toBe('200');
    expect(await complete(await beginSignIn(server, email), { code: first })).toBe('422 code_incorrect');
    expect(await complete(await beginSignIn(server, email), { code: app.code(1) })).toBe('200');
    // An older code than the newest accepted one was seen by others before.
    expect(await complete(await beginSignIn(server, email), { code: app.code() })).toBe('422 code_incorrect');
  });

  test('accepts each recovery code once, in any order and spelling, and warns when three are left', async () => {
    const otherNode = await server.otherNode();
    const { email, app, browser: owner } = await registerWithAuthenticator(server);
    expect(new Set(app.recoveryCodes).size).toBe(10);
    const [first = '', second = '', ...others] = app.recoveryCodes.toReversed();
    const browsers = [await beginSignIn(server, email), await beginSignIn(otherNode, email)];
    const outcomes = await Promise.all(browsers.map((browser) => complete(browser, { recovery_code: first })));
    expect(outcomes.sort()).toEqual(['200', '422 code_incorrect']);
    const spelled = ` ${second.toUpperCase().replace('-', ' ')} `;
    expect(await complete(await beginSignIn(server, email), { recovery_code: spelled })).toBe('200');
    for (const code of others.slice(0, 5))
      expect(await complete(await beginSignIn(server, email), { recovery_code: code })).toBe('200');
    expect((await owner.get('/account/security')).body).toMatchObject({ recovery_codes_left: 3 });
    const { text } = await server.mailTo(email, /running out of recovery codes/);
    expect(text).toMatch(
      /Codes left: 3[\s\S]*IP address: [\d.:a-f]+[\s\S]*If this wasn’t you, set a new password[\s\S]*\/recovery\//,
    );
    const { store } = server;
    const stored = await store.selectFrom('recovery_codes').selectAll().execute();
    expect(JSON.stringify(stored)).not.toMatch(new RegExp(others.at(-1)?.replace('-', '') ?? '', 'i'));
  });

  describe('is not skipped', () => {
    test('by an emailed code', async () => {
      const person = await equipProven(server);
      const browser = server.client();
      await browser.post('/auth/code', { email: person.email, locale: 'en' });
      const code = await secretsIn(server, person.email).signInCode();
      expect(await browser.post('/auth/code/login', { email: person.email, code })).toSay('401 second_step_required');
      expect(await browser.post('/auth/code/login', { email: person.email, code })).toSay(/^4/);
      expect(await complete(browser, { code: person.app.nextCode() })).toBe('200');
      expect(claimsOf(browser)).toMatchObject({ amr: ['mca', 'otp', 'mfa'], acr: 'aal2' });
    });

    test('by a reset, which sets the password and changes nothing else about it', async () => {
      const { email, app } = await equipProven(server);
      const browser = await resetByEmail(server, { email, word });
      expect(await browser.post('/auth/refresh')).toSay(/^401/);
      const response = await browser.post('/auth/login', { email, password: word });
      expect(response).toSay('401 second_step_required');
      expect(await complete(browser, { code: app.nextCode() })).toBe('200');
    });

    test('by its owner’s mailbox, unless the address was unproven: then a stranger may have set it up', async () => {
      const { email } = await registerWithAuthenticator(server);
      const owner = await signedInByCode(server, email);
      expect((await owner.get('/account/security')).body).toMatchObject({
        password: false,
        authenticator: false,
        recovery_codes_left: 0,
      });
    });

    test('by the page that follows a sign-in', async () => {
      const { email } = await registerWithAuthenticator(server);
      const browser = await beginSignIn(server, email);
      for (const path of ['/additionally/way', '/account', '/account/security'])
        expect(await browser.get(path)).toSay('401 not_signed_in');
    });

    test('by a sign-in that began more than ten minutes ago', async () => {
      const { email, app } = await registerWithAuthenticator(server);
      const browser = await beginSignIn(server, email);
      server.forward(minutes(10));
      expect(await complete(browser, { code: app.code() })).toBe('410 sign_in_expired');
      expect((await browser.get('/auth/second-step')).body.ways).toEqual([]);
    });

    test('in another browser that has a copy of the cookie', async () => {
      const { email, app, browser: owner } = await registerWithAuthenticator(server);
      const browser = await beginSignIn(server, email);
      const thief = server.client();
      thief.cookies.set(pendingCookie, browser.cookies.get(pendingCookie) ?? '');
      const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
      const code = app.nextCode();
      expect(await thief.post('/auth/second-step', { code }, firefox)).toSay('410 sign_in_expired');
      thief.cookies.set('__Host-device', owner.cookies.get('__Host-device') ?? '');
      expect(await complete(thief, { code })).toBe('410 sign_in_expired');
      expect(await complete(browser, { code })).toBe('200');
    });

    test('by the cookie of another person’s remembered browser', async () => {
      const one = await registerWithAuthenticator(server);
      const other = await registerWithAuthenticator(server);
      const browser = await beginSignIn(server, one.email);
      expect(await complete(browser, { code: one.app.nextCode(), remember: true })).toBe('200');
      expect(await browser.post('/auth/login', { email: other.email, password })).toSay('401 second_step_required');
    });

    test('on a shared device', async () => {
      const { email, app } = await registerWithAuthenticator(server);
      const browser = await beginSignIn(server, email, { shared: true });
      expect(await complete(browser, { code: app.nextCode(), remember: true })).toBe('200');
      expect(browser.cookies.has('__Host-device')).toBe(false);
      expect(await browser.post('/auth/login', { email, password })).toSay('401 second_step_required');
      // A remembered browser that its user marks as shared.
      const home = await beginSignIn(server, email);
      expect(await complete(home, { code: app.nextCode(), remember: true })).toBe('200');
      expect(await home.post('/auth/login', { email, password, shared: true })).toSay('401 second_step_required');
      expect(await complete(home, { code: app.nextCode(), remember: true })).toBe('200');
      expect(await home.post('/auth/login', { email, password })).toSay('401 second_step_required');
    });
  });

  test('is not needed for 30 days in a browser that its owner remembered, whose session has one factor', async () => {
    const { email, app, browser: other } = await registerWithAuthenticator(server);
    const browser = await beginSignIn(server, email);
    expect(await complete(browser, { code: app.nextCode(), remember: true })).toBe('200');
    expect((await browser.get('/account/security')).body).toMatchObject({ remembered_devices: 1 });
    expect(await browser.post('/auth/login', { email, password })).toSay('200');
    expect(claimsOf(browser)).toMatchObject({ amr: ['pwd'], acr: 'aal1' });
    const refused = await browser.get('/account/export');
    expect(refused).toMatchObject({ status: 401, body: { code: 'step_up_required', ways: ['authenticator'] } });
    expect(await browser.post('/auth/step-up', { password })).toSay('401 step_up_required');
    expect(await browser.send('DELETE', '/account', { body: { password } })).toSay('401 step_up_required');
    const code = app.nextCode();
    expect(await browser.post('/auth/step-up', { code })).toSay('200');
    expect(claimsOf(browser)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' });
    expect(await browser.get('/account/export')).toSay('200');
    expect(await other.post('/auth/step-up', { code })).toSay('422 code_incorrect');

    expect(await browser.send('DELETE', '/account/remembered-devices', {})).toSay('204');
    expect(await browser.post('/auth/login', { email, password })).toSay('401 second_step_required');
    expect(await complete(browser, { code: app.nextCode(), remember: true })).toBe('200');
    server.forward(days(30));
    expect(await browser.post('/auth/login', { email, password })).toSay('401 second_step_required');
  });

  test('has its own lockout across sign-ins and nodes, which strangers cannot use against a known device', async () => {
    const otherNode = await server.otherNode();
    const { email, app, browser: owner } = await registerWithAuthenticator(server);
    const thieves = [await beginSignIn(server, email), await beginSignIn(otherNode, email)];
    const guesses = Array.from({ length: 8 }, (_, at) => complete(thieves[at % 2] as Client, { code: '000000' }));
    const outcomes = await Promise.all(guesses);
    expect(outcomes.filter((outcome) => outcome === '422 code_incorrect')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === '429 too_many_attempts')).toHaveLength(3);
    expect(await complete(await beginSignIn(server, email), { code: app.nextCode() })).toBe('429 too_many_attempts');
    expect(await complete(await beginSignIn(server, email), { recovery_code: app.recoveryCodes[0] })).toBe(
      '429 too_many_attempts',
    );
    expect(await owner.post('/auth/step-up', { code: app.nextCode() })).toSay('200');
    expect(await owner.post('/auth/login', { email, password })).toSay('401 second_step_required');
    expect(await complete(owner, { code: app.nextCode() })).toBe('200');
    server.forward(minutes(1));
    expect(await complete(await beginSignIn(server, email), { code: app.nextCode() })).toBe('200');
  });

  test('stays locked after a reset by email, and an operator unlocks it', async () => {
    const { email, app } = await equipProven(server);
    const thief = await beginSignIn(server, email);
    for (let time = 0; time < 5; time += 1)
      expect(await complete(thief, { code: '000000' })).toBe('422 code_incorrect');
    const elsewhere = await resetByEmail(server, { email, word });
    const browser = await beginSignIn(server, email, { password: word });
    expect(await complete(browser, { code: app.nextCode() })).toBe('429 too_many_attempts');
    // Nor does the browser of the reset get guesses of its own: with each email there would be five more.
    expect(await elsewhere.post('/auth/login', { email, password: word })).toSay('401 second_step_required');
    expect(await complete(elsewhere, { code: '000000' })).toBe('429 too_many_attempts');
    await runCommand(['accounts', 'unlock', email], placeOf(server));
    expect(await complete(browser, { code: app.nextCode() })).toBe('200');
  });

  test('limits guesses of one source over many accounts, but a known device keeps a few of its own', {
    tags: 'full',
  }, async () => {
    const server = await openTestServer(engine);
    const outcomes: string[] = [];
    const { email: known, app, browser: device } = await registerWithAuthenticator(server);
    await device.post('/auth/logout');
    for (let account = 0; account < 6; account += 1) {
      const { email } = await registerWithAuthenticator(server);
      const browser = await beginSignIn(server, email);
      for (let time = 0; time < 4; time += 1) outcomes.push(await complete(browser, { code: '000000' }));
    }
    expect(outcomes.slice(0, 20)).toEqual(Array(20).fill('422 code_incorrect'));
    expect(outcomes.slice(20)).toEqual(Array(4).fill('429 too_many_requests'));
    await device.post('/auth/login', { email: known, password });
    for (let time = 0; time < 3; time += 1)
      expect(await complete(device, { code: '000000' })).toBe('422 code_incorrect');
    expect(await complete(device, { code: app.nextCode() })).toBe('429 too_many_requests');
    server.forward(minutes(16));
    expect(await complete(await beginSignIn(server, known), { code: app.nextCode() })).toBe('200');
  });
});
