import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { minutes } from '../../../contract/units.ts';
import { codeOf, fromBase32, stepAt } from '../../../security/factors.ts';
import { findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { addAuthenticator, authenticatorWith } from '../../../testing/authenticator.ts';
import { type Client, statusAndCode } from '../../../testing/client.ts';
import { runCommand } from '../../../testing/command-line.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { secretsIn } from '../../../testing/outbox.ts';
import { kindsOf, letPass, password, proveAddress, register, signedIn } from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

const remove = (browser: Client, path: string) => browser.send('DELETE', path, {});

/** One account in two browsers. */
async function twoSessions(server: TestServer) {
  const { browser, email } = await register(server);
  const other = await signedIn(server, email);
  const begin = async (from: Client) =>
    authenticatorWith(server, (await from.post('/account/authenticator')).body.secret);
  const confirm = async (from: Client, code: string) =>
    statusAndCode(await from.post('/account/authenticator/confirm', { code }));
  return { email, browser, other, begin, confirm };
}

describe.each(usualEngines)('the second step of an account, on %s,', async (engine) => {
  const server = await openTestServer(engine, { SECRET_KEY: 'a secret of at least thirty-two characters' });
  const signInWith = async (email: string, proof: object, browser = server.client()) => {
    await browser.post('/auth/login', { email, password });
    return statusAndCode(await browser.post('/auth/second-step', proof));
  };

  test('begins with the first code of an authenticator, and only that browser stays fully signed in', async () => {
    const { email, browser } = await register(server);
    const other = await signedIn(server, email);
    const begun = await browser.post('/account/authenticator');
    expect(begun).toMatchObject({
      status: 201,
      body: { expires_in: 600, secret: expect.stringMatching(/^[A-Z2-7]{32}$/) },
    });
    expect(begun.body.uri).toBe(
      `otpauth://totp/Vestibule:${encodeURIComponent(email)}?secret=${begun.body.secret}&issuer=Vestibule&algorithm=SHA1&digits=6&period=30`,
    );
    expect((await browser.get('/account/security')).body).toMatchObject({ authenticator: false });
    expect(await other.post('/auth/login', { email, password })).toSay('200');
    expect(await browser.post('/account/authenticator/confirm', { code: '000000' })).toMatchObject({
      status: 422,
      body: { code: 'code_incorrect', attempts_left: 4 },
    });
    const code = codeOf(fromBase32(begun.body.secret) as Buffer, stepAt(server.now()));
    const confirmed = await browser.post('/account/authenticator/confirm', { code });
    expect(confirmed.body.recovery_codes).toHaveLength(10);
    expect((await browser.get('/account/security')).body).toEqual({
      password: true,
      passkeys: 0,
      authenticator: true,
      recovery_codes_left: 10,
      recovery_codes_made_at: confirmed.body.recovery_codes_made_at,
      remembered_devices: 0,
      removal_at: null,
      second_step_missing: false,
      email_pending: null,
    });
    expect((await server.mailTo(email, /second step/)).text).toContain('authenticator app was added');
    expect(await browser.get('/account/export')).toSay('200');
    expect(await other.get('/account/export')).toSay('401 step_up_required');
    // The code that confirmed it has been used.
    expect(await signInWith(email, { code }, other)).toBe('422 code_incorrect');
  });

  test('is not confirmed again by a repetition in another session, with another code, or later', async () => {
    const { browser, email } = await register(server);
    const other = await signedIn(server, email);
    const { secret } = (await browser.post('/account/authenticator')).body;
    const authenticator = authenticatorWith(server, secret);
    const code = authenticator.code();
    expect((await browser.post('/account/authenticator/confirm', { code })).status).toBe(200);
    const confirm = async (from: Client, given: string) =>
      statusAndCode(await from.post('/account/authenticator/confirm', { code: given }));
    expect(await confirm(browser, authenticator.code(1))).toBe('410 code_expired');
    expect(await confirm(other, code)).toMatch(/code_expired|step_up_required/);
    await letPass(server, browser, minutes(10));
    expect(await confirm(browser, code)).toBe('410 code_expired');
  });

  test('stores neither secret nor codes in plain text', async () => {
    const { browser, email } = await register(server);
    const { secret } = (await browser.post('/account/authenticator')).body;
    const bytes = fromBase32(secret) as Buffer;
    const { id } = (await findAccountByEmail(server.store, email)) ?? { id: '' };
    const row = await server.store
      .selectFrom('pending_authenticators')
      .selectAll()
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.secret).toMatch(/^gcm\./);
    for (const form of [secret, bytes.toString('base64url'), bytes.toString('hex')])
      expect(JSON.stringify(row)).not.toContain(form);
  });

  test('waits ten minutes for the first code, and a newer secret voids an earlier one', async () => {
    const { browser } = await register(server);
    const secretOf = async () => fromBase32((await browser.post('/account/authenticator')).body.secret) as Buffer;
    const confirm = async (secret: Buffer) =>
      statusAndCode(
        await browser.post('/account/authenticator/confirm', { code: codeOf(secret, stepAt(server.now())) }),
      );
    const first = await secretOf();
    server.forward(minutes(1) + 1000);
    const second = await secretOf();
    expect(await confirm(first)).toBe('422 code_incorrect');
    await letPass(server, browser, minutes(10));
    expect(await confirm(second)).toBe('410 code_expired');
    const third = await secretOf();
    expect(await confirm(third)).toBe('200');
  });

  test('keeps the secrets of two sessions apart, and puts only one into use', async () => {
    const { browser, other, begin, confirm } = await twoSessions(server);
    const own = await begin(browser);
    // A session that was shown no secret confirms none, not even with the right code.
    expect(await confirm(other, own.code())).toBe('410 code_expired');
    const foreign = await begin(other);
    expect(await confirm(other, own.code())).toBe('422 code_incorrect');
    expect(await confirm(browser, foreign.code())).toBe('422 code_incorrect');
    expect(await confirm(browser, own.code())).toBe('200');

    // The account has one authenticator: a setup that began before it is void, also with both factors.
    await other.post('/auth/step-up', { code: own.nextCode() });
    expect(await confirm(other, foreign.code())).toBe('410 code_expired');
    expect(await confirm(other, (await begin(other)).code())).toBe('200');
  });

  test('ends a setup with its session, and all of them with a removal', async () => {
    const { browser, email, other, begin, confirm } = await twoSessions(server);
    const [own, foreign] = [await begin(browser), await begin(other)];
    expect(await remove(browser, '/account/sessions')).toSay(/^20/);
    expect(await confirm(other, foreign.code())).toMatch(/^401/);
    await other.post('/auth/login', { email, password });
    // The next session of the same browser was shown nothing.
    expect(await confirm(other, foreign.code())).toBe('410 code_expired');
    expect(await remove(other, '/account/authenticator')).toSay('204');
    expect(await confirm(browser, own.code())).toBe('410 code_expired');
  });

  test('an authenticator in use stays valid until the next one is confirmed, and recovery codes stay', async () => {
    const { browser, email } = await register(server);
    const app = await addAuthenticator(server, browser);
    await browser.post('/account/authenticator');
    expect(await signInWith(email, { code: app.nextCode() })).toBe('200');
    const next = await addAuthenticator(server, browser);
    expect(next.recoveryCodes).toEqual([]);
    expect(await signInWith(email, { code: app.nextCode() })).toBe('422 code_incorrect');
    expect(await signInWith(email, { recovery_code: app.recoveryCodes[4] })).toBe('200');
  });

  test('new recovery codes void the previous ones, and need an authenticator', async () => {
    const { browser, email } = await register(server);
    expect(await browser.post('/account/recovery-codes')).toSay('404 not_found');
    const app = await addAuthenticator(server, browser);
    const { recovery_codes: renewed } = (await browser.post('/account/recovery-codes')).body;
    expect(renewed).toHaveLength(10);
    expect(await signInWith(email, { recovery_code: app.recoveryCodes[0] })).toBe('422 code_incorrect');
    expect(await signInWith(email, { recovery_code: renewed[9] })).toBe('200');
  });

  test('removing the authenticator removes the second step, and every change needs a recent sign-in with two factors', async () => {
    const { id, browser, email } = await register(server);
    const app = await addAuthenticator(server, browser);
    await letPass(server, browser, minutes(16));
    const refused = '401 step_up_required';
    expect(await browser.post('/account/authenticator')).toSay(refused);
    expect(await browser.post('/account/authenticator/confirm', { code: app.code() })).toSay(refused);
    expect(await browser.post('/account/recovery-codes')).toSay(refused);
    expect(await remove(browser, '/account/authenticator')).toSay(refused);
    expect(await remove(browser, '/account/remembered-devices')).toSay(refused);
    expect(await browser.post('/auth/step-up', { code: app.code() })).toSay('200');
    expect(await remove(browser, '/account/authenticator')).toSay('204');
    expect((await browser.get('/account/security')).body).toMatchObject({
      authenticator: false,
      recovery_codes_left: 0,
    });
    expect(await server.client().post('/auth/login', { email, password })).toSay('200');
    expect(await kindsOf(browser)).toEqual(expect.arrayContaining(['authenticator_added', 'authenticator_removed']));
    for (const table of ['authenticators', 'recovery_codes', 'pending_sign_ins', 'second_step_removals'] as const) {
      const rows = server.store.selectFrom(table).select('account_id').where('account_id', '=', id);
      expect(await rows.execute()).toEqual([]);
    }
  });

  test('that a thief set up after changing the address goes when the owner undoes that; an older one stays', async () => {
    for (const renewed of [undefined, 'before', 'after'] as const) {
      const person = await register(server);
      const { email } = person;
      await proveAddress(server, person);
      const own = renewed && (await addAuthenticator(server, person.browser));
      server.forward(minutes(1));
      const thief = server.client();
      await thief.post('/auth/login', { email, password });
      if (own) expect(await thief.post('/auth/second-step', { code: own.nextCode() })).toSay('200');
      const renew = async () => (await thief.post('/account/recovery-codes')).body.recovery_codes;
      if (renewed === 'before') expect(await renew()).toHaveLength(10);
      server.forward(minutes(1));
      const other = `thief-${email}`;
      expect(await thief.post('/account/email', { email: other, password })).toSay('202');
      const hash = await secretsIn(server, other).changeLink();
      expect(await thief.post('/account/email/change', { hash })).toSay('200');
      server.forward(minutes(1));
      if (renewed === 'after') expect(await renew()).toHaveLength(10);
      if (!own) await addAuthenticator(server, thief);
      const undo = await secretsIn(server, email).undoLink();
      expect(await server.client().post('/account/email/undo', { hash: undo })).toSay('200');
      const account = await findAccountByEmail(server.store, email);
      expect(account?.second_step_at === null).toBe(!own);
      const left = server.store
        .selectFrom('recovery_codes')
        .select('mac')
        .where('account_id', '=', account?.id ?? '');
      expect(await left.execute()).toEqual([]);
    }
  });

  test('is in the export, without its secrets', async () => {
    const { browser } = await register(server);
    const app = await addAuthenticator(server, browser);
    const { body } = await browser.get('/account/export');
    expect(body.account).toMatchObject({ second_step_at: expect.any(String), recovery_codes_left: 10 });
    expect(body.sessions[0]).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' });
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`gcm\\.|${app.recoveryCodes[0]}`));
  });

  test('comes with an import', async () => {
    const { DATA_DIR, DATABASE_URL } = server.config;
    const email = `imported-${engine}@example.com`;
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const row = (of: string, totp_secret: string) => `${JSON.stringify({ email: of, totp_secret })}\n`;
    writeFileSync(join(DATA_DIR, 'accounts.jsonl'), row(email, secret) + row(`other-${email}`, 'no base32!'));
    const settings = { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off', SECRET_KEY: server.config.SECRET_KEY };
    const ran = await runCommand(['import', 'accounts.jsonl'], { folder: DATA_DIR, settings });
    expect(ran.out).toMatch(/^1 added, 0 already existed, 1 refused\nline 2: totp_secret: not a base32 secret/);
    const browser = server.client();
    await browser.post('/auth/code', { email, locale: 'en' });
    const code = await secretsIn(server, email).signInCode();
    expect(await browser.post('/auth/code/login', { email, code })).toSay('401 second_step_required');
    const totp = codeOf(fromBase32(secret) as Buffer, stepAt(server.now()));
    expect(await browser.post('/auth/second-step', { code: totp })).toSay('200');
  });

  test.each([
    ['optional', false],
    ['required', true],
  ])('with SECOND_STEP=%s, an account without one may lack it: %s', async (setting, missing) => {
    const server = await openTestServer(engine, { SECOND_STEP: setting });
    const { browser } = await register(server);
    expect((await browser.get('/account/security')).body.second_step_missing).toBe(missing);
    await addAuthenticator(server, browser);
    expect((await browser.get('/account/security')).body.second_step_missing).toBe(false);
  });

  test('SECOND_STEP=off hides it, no longer requires it, and deletes nothing', async () => {
    const server = await openTestServer(engine, { SECOND_STEP: 'off' });
    const { id, browser, email } = await register(server);
    expect(await browser.post('/account/authenticator')).toSay('404 not_found');
    await server.store.updateTable('accounts').set({ second_step_at: server.now() }).where('id', '=', id).execute();
    expect((await browser.get('/account/security')).body).toMatchObject({ authenticator: false });
    expect(await server.client().post('/auth/login', { email, password })).toSay('200');
    expect(await browser.get('/account/export')).toSay('200');
    expect((await findAccountByEmail(server.store, email))?.second_step_at).not.toBe(null);
  });
});
