import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../contract/units.ts';
import { defaultAlarmRules } from '../../devices/contract/alarm-rules.ts';
import { silentFor } from '../../testing/alarms.ts';
import { statusAndCode } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { secretsIn } from '../../testing/outbox.ts';
import { addPasskey, signInWith } from '../../testing/passkey-authenticator.ts';
import { addComputer, password, proveAddress, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const ask = async (browser: ReturnType<TestServer['client']>, email: string) => {
  const response = await browser.post('/auth/code', { email, locale: 'en' });
  expect(response).toMatchObject({ status: 202, body: {} });
};

const codeTo = async (server: TestServer, email: string, not = '') => {
  const mails = async () => (await server.mails(email)).filter((mail) => /sign-in code/.test(mail.subject));
  const deadline = server.now() + minutes(2);
  while (server.now() < deadline) {
    const code = (await mails()).map(({ text }) => /^\d{6}$/m.exec(text)?.[0]).find((found) => found && found !== not);
    if (code) return code;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${email} received no code within two minutes`);
};

/** A person, and a browser that has requested a code. */
async function asked(server: TestServer) {
  const { email } = await register(server);
  const browser = server.client();
  await ask(browser, email);
  return { email, browser, code: await codeTo(server, email) };
}

const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

const enter = (browser: ReturnType<TestServer['client']>, email: string, code: unknown) =>
  browser.post('/auth/code/login', { email, code });

describe.each(engines)('parallel sign-ins with an emailed code, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  it('allows three tries, also for parallel guesses', async () => {
    const { email, browser, code } = await asked(server);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => enter(browser, email, wrong(code))));
    const left = guesses.filter(({ status }) => status === 422).map(({ body }) => body.attempts_left);
    expect(left.sort()).toEqual([0, 1, 2]);
    expect(await enter(browser, email, code)).toSay('410 code_expired');
  });

  it('begins only one session for several parallel sign-ins of a browser', async () => {
    const { email, browser, code } = await asked(server);
    const responses = await Promise.all(Array.from({ length: 3 }, () => enter(browser.copy(), email, code)));
    const sids = responses.map(({ body }) => JSON.parse(atob(body.access_token.split('.')[1])).sid);
    expect(new Set(sids).size).toBe(1);
  });
});

describe.each(usualEngines)('an emailed code, on %s,', async (engine) => {
  const server = await openTestServer(engine);
  /** Requests codes from a source until the service refuses, with three guesses at each. Returns how many were sent. */
  async function guessAll(at: TestServer, { email, ip }: { email: string; ip: string }): Promise<number> {
    for (let codes = 0; ; codes += 1) {
      const browser = at.client({ ip });
      const { status } = await browser.post('/auth/code', { email, locale: 'en' });
      if (status === 429) return codes;
      for (let guess = 0; guess < 3; guess += 1) await enter(browser, email, '000000');
    }
  }

  it('signs in the browser that requested it, once', async () => {
    const { email } = await register(server);
    const browser = server.client();
    await ask(browser, email.toUpperCase());
    const code = await codeTo(server, email);
    const response = await enter(browser, email, ` ${code.slice(0, 3)} ${code.slice(3)}`);
    expect(response).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    expect((await browser.get('/account')).body.email).toBe(email);
    expect(await enter(browser, email, code)).toSay('410 code_expired');
  });

  it('still works after a second one was sent, until one of them is used', async () => {
    const { email, browser, code: first } = await asked(server);
    await ask(browser, email);
    const second = await codeTo(server, email, first);
    expect(await enter(browser, email, wrong(second))).toMatchObject({ status: 422, body: { attempts_left: 2 } });
    const elsewhere = browser.copy();
    expect((await enter(browser, email, first)).status).toBe(200);
    expect(await enter(elsewhere, email, second)).toSay('410 code_expired');
  });

  it('is useless in another browser', async () => {
    const { email, browser, code } = await asked(server);
    const thief = server.client();
    expect(await enter(thief, email, code)).toSay('410 code_expired');
    await ask(thief, email);
    expect(await enter(thief, email, code)).toSay('422 code_incorrect');
    expect((await enter(browser, email, code)).status).toBe(200);
  });

  it('does not reveal who has an account', async () => {
    const browser = server.client();
    await ask(browser, 'nobody@example.com');
    const refused = { status: 422, body: { code: 'code_incorrect', attempts_left: 2 } };
    expect(await enter(browser, 'nobody@example.com', '123456')).toMatchObject(refused);
    await ask(browser, 'nobody@example.com');
    await ask(browser, 'nobody@example.com');
    expect(await browser.post('/auth/code', { email: 'nobody@example.com', locale: 'en' })).toSay(
      '429 too_many_requests',
    );
  });

  it('does not reveal who has an account, even if the email is late', async () => {
    const server = await openTestServer(engine);
    const { email } = await register(server);
    const responses = [email, 'nobody@example.com'].map(async (address) => {
      const browser = server.client();
      await ask(browser, address);
      return browser;
    });
    const browsers = await Promise.all(responses);
    await server.mailTo(email, /sign-in code/);
    const guess = async () => {
      const [known, unknown] = browsers as [(typeof browsers)[0], (typeof browsers)[0]];
      return [await enter(known, email, '000000'), await enter(unknown, 'nobody@example.com', '000000')].map(
        statusAndCode,
      );
    };
    await server.store
      .updateTable('outbox')
      .set({ sent_at: server.now() + minutes(5) })
      .where('notice', '=', 'sign_in_code')
      .execute();
    server.forward(minutes(9));
    const [known, unknown] = await guess();
    expect(known).toBe(unknown);
    server.forward(minutes(2));
    expect(await guess()).toEqual(['410 code_expired', '410 code_expired']);
  });

  it('lasts ten minutes from sending', async () => {
    const server = await openTestServer(engine);
    const { email, browser, code } = await asked(server);
    server.forward(minutes(11));
    expect(await enter(browser, email, code)).toSay('410 code_expired');
  });

  it('ends a lockout after wrong passwords', async () => {
    const server = await openTestServer(engine);
    const person = await register(server);
    const { email } = person;
    await proveAddress(server, person);
    const stranger = server.client();
    for (let guess = 0; guess < 5; guess += 1) await stranger.post('/auth/login', { email, password: 'wrong one' });
    const browser = server.client();
    expect(await browser.post('/auth/login', { email, password })).toSay('429 too_many_attempts');
    await ask(browser, email);
    const code = await codeTo(server, email);
    expect((await enter(browser, email, code)).status).toBe(200);
    expect((await server.client().post('/auth/login', { email, password })).status).toBe(200);
  });

  it('gives the account to the owner of the address, and ends the access of a stranger who registered it', async () => {
    const { email, browser: stranger } = await register(server, { name: 'Mallory Squat', consent_offers: true });
    const passkey = await addPasskey(stranger);
    expect((await stranger.post('/account/alarms/rules', silentFor(5))).status).toBe(201);
    const { computer } = await addComputer(server, stranger, 'Spy');
    const owner = server.client();
    await ask(owner, email);
    expect((await enter(owner, email, await codeTo(server, email))).status).toBe(200);
    expect(await stranger.post('/auth/refresh')).toSay('401 session_ended ended_elsewhere');
    expect(await stranger.post('/auth/login', { email, password })).toSay('401 incorrect_login_or_password');
    expect(await signInWith(server.client(), passkey)).toSay('401 passkey_unknown');
    expect(await computer.post('/computers/heartbeat')).toSay('401 not_signed_in');
    const { body } = await owner.get('/account');
    expect(body).toMatchObject({ name: '', phone: '', phone_confirmed: false, email_confirmed: true });
    expect(body.consents).toContainEqual(expect.objectContaining({ kind: 'offers', given: false }));
    expect((await owner.get('/computers')).body.computers).toEqual([]);
    expect((await owner.get('/account/alarms')).body).toMatchObject({ rules: defaultAlarmRules });
    const { text } = await server.mailTo(email, /Set a password/);
    expect(text).toContain('/recovery/');
    expect(text).not.toContain('Mallory');
  });

  it('counts the same for an address without an account', async () => {
    const server = await openTestServer(engine, { RECOVERY_MAILS_PER_ACCOUNT: '100' });
    expect(await guessAll(server, { email: 'nobody@example.com', ip: '198.51.100.1' })).toBe(5);
  });

  it('is not available if the operator turned it off', async () => {
    const server = await openTestServer(engine, { MAIL_CODE_SIGN_IN: 'off' });
    const response = await server.client().post('/auth/code', { email: 'anna@example.com', locale: 'en' });
    expect(response).toSay('404 not_found');
  });

  it('always works for its owner in a new browser, whatever strangers guess', { tags: 'full' }, async () => {
    const server = await openTestServer(engine, { RECOVERY_MAILS_PER_ACCOUNT: '100' });
    const { email } = await register(server);
    const own = server.client({ ip: '192.0.2.1' });
    await ask(own, email);
    const code = await secretsIn(server, email).signInCode();
    for (let source = 1; source <= 8; source += 1) await guessAll(server, { email, ip: `198.51.100.${source}` });
    expect(await enter(own, email, code)).toSay('200');
  });

  it('is sent five times a day per source and twenty times in total, which bounds guessing', {
    tags: 'full',
  }, async () => {
    const server = await openTestServer(engine, { RECOVERY_MAILS_PER_ACCOUNT: '100' });
    const { email, browser: known } = await register(server);
    const from = (source: number) => guessAll(server, { email, ip: `198.51.100.${source}` });
    expect([await from(1), await from(1)]).toEqual([5, 0]);
    // A stranger with one source does not use up the owner's limit in a new browser.
    const own = server.client({ ip: '192.0.2.1' });
    await ask(own, email);
    expect([await from(2), await from(3), await from(4), await from(5)]).toEqual([5, 5, 4, 0]);
    expect(await own.post('/auth/code', { email, locale: 'en' })).toSay('429 too_many_requests');
    // A known browser does not wait for strangers.
    const before = (await server.mails(email)).length;
    await ask(known, email);
    await expect.poll(async () => (await server.mails(email)).length).toBeGreaterThan(before);
    const code = await secretsIn(server, email).signInCode();
    expect(await enter(known, email, code)).toSay('200');
    server.forward(hours(25));
    await ask(own, email);
    expect(await from(1)).toBe(5);
  });
});
