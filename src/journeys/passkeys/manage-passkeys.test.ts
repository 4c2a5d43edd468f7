import { describe, expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { findPasskey } from '../../store/access/passkeys.ts';
import { type Client, statusAndCode } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import {
  addPasskey,
  change,
  creationOptions,
  openAuthenticator,
  signInOptions,
  signInWith,
} from '../../testing/passkey-authenticator.ts';
import { kindsOf, letPass, password, proveAddress, register, resetByEmail, signedIn } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const ids = async (browser: Client) =>
  (await browser.get('/account/passkeys')).body.passkeys.map(({ id }: { id: string }) => id);
const remove = (browser: Client, id: string) => change(browser, 'DELETE', `/account/passkeys/${id}`);
const reports = async (server: TestServer, email: string) =>
  (await server.store.selectFrom('outbox').select('notice').where('recipient', '=', email).execute()).filter(
    ({ notice }) => notice === 'passkey_copied',
  ).length;

describe.each(usualEngines)('passkeys of an account, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('are listed with provider and use, renamed, and removed', async () => {
    const { browser, email } = await register(server);
    const synced = openAuthenticator({ aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd' });
    const bound = openAuthenticator({ aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a', synced: false });
    for (const authenticator of [synced, bound]) {
      server.forward(1000);
      await addPasskey(browser, authenticator);
    }
    expect((await browser.get('/account/passkeys')).body).toEqual({
      rp_id: 'door.example',
      user_id: expect.stringMatching(/^[\w-]{43,}$/),
      passkeys: [
        {
          ...{ id: synced.id, name: 'iCloud Keychain', provider: 'iCloud Keychain', synced: true },
          ...{ created_at: expect.stringMatching(/Z$/), last_used_at: null },
        },
        expect.objectContaining({ id: bound.id, name: 'YubiKey', provider: 'YubiKey', synced: false }),
      ],
    });
    expect((await creationOptions(browser)).excludeCredentials).toEqual(
      [synced, bound].map(({ id }) => ({ id, type: 'public-key', transports: ['internal', 'hybrid'] })),
    );
    await signInWith(server.client(), synced);
    expect((await browser.get('/account/passkeys')).body.passkeys[0].last_used_at).toMatch(/Z$/);

    const renamed = await change(browser, 'PATCH', `/account/passkeys/${bound.id}`, { name: ' Key ring ' });
    expect(renamed).toMatchObject({ status: 200, body: { id: bound.id, name: 'Key ring', provider: 'YubiKey' } });
    expect(await change(browser, 'PATCH', `/account/passkeys/${bound.id}`, { name: '' })).toSay(/^422/);
    expect(await remove(browser, bound.id)).toSay('204');
    expect(await remove(browser, bound.id)).toSay('404 not_found');
    expect(await ids(browser)).toEqual([synced.id]);
    expect(await signInWith(server.client(), bound)).toMatchObject({
      status: 401,
      body: { code: 'passkey_unknown', rp_id: 'door.example', credential_id: bound.id },
    });
    expect(await kindsOf(browser)).toEqual(expect.arrayContaining(['passkey_added', 'passkey_removed']));
    const added = await server.mailTo(email, /passkey was added/, 2);
    expect(added.text).toMatch(/Passkey: (YubiKey|iCloud Keychain)/);
    expect((await server.mailTo(email, /passkey was removed/)).text).toContain('Key ring');
  });

  test('belong to one account', async () => {
    const [one, other] = [await register(server), await register(server)];
    const authenticator = await addPasskey(one.browser);
    expect(await remove(other.browser, authenticator.id)).toSay('404 not_found');
    const path = `/account/passkeys/${authenticator.id}`;
    expect(await change(other.browser, 'PATCH', path, { name: 'Mine' })).toSay('404 not_found');
    const { id } = await addPasskey(other.browser);
    const options = (await other.browser.post('/auth/step-up/challenge')).body;
    expect(options.allowCredentials).toEqual([expect.objectContaining({ id })]);
    const stepUp = await other.browser.post('/auth/step-up', { credential: authenticator.use(options) });
    expect(stepUp).toSay('401 passkey_refused');
  });

  test('are added without a prompt only where that was requested', async () => {
    const { browser } = await register(server);
    const options = await creationOptions(browser, { automatic: true });
    expect(options.authenticatorSelection.userVerification).toBe('preferred');
    const silent = { present: false, verified: false };
    const authenticator = openAuthenticator();
    const credential = authenticator.create(options, silent);
    expect(await browser.post('/account/passkeys', { credential })).toSay('201');
    expect(await signInWith(server.client(), authenticator, silent)).toSay('401 passkey_refused');
    expect(await signInWith(server.client(), authenticator)).toSay('200');
  });

  test.each([
    ['POST', '/account/passkeys/challenge'],
    ['POST', '/account/passkeys'],
    ['PATCH', '/account/passkeys/AAAA'],
    ['DELETE', '/account/passkeys/AAAA'],
    ['DELETE', '/account/password'],
  ])('need a step-up after 15 minutes for %s %s, and a passkey satisfies it', async (method, path) => {
    const server = await openTestServer(engine);
    const { browser } = await register(server);
    const authenticator = await addPasskey(browser, openAuthenticator({ synced: false }));
    await letPass(server, browser, minutes(16));
    const ask = () => browser.send(method, path, { body: { name: 'New' } });
    const refused = await ask();
    expect(refused).toSay('401 step_up_required');
    expect(refused.body.ways).toEqual(['password', 'passkey']);
    const options = (await browser.post('/auth/step-up/challenge')).body;
    expect(options).toMatchObject({ allowCredentials: [{ id: authenticator.id }], userVerification: 'required' });
    expect(await browser.post('/auth/step-up', { credential: authenticator.use(options) })).toSay('200');
    const claims = JSON.parse(Buffer.from(browser.token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ acr: 'aal2', amr: ['pwd', 'hwk', 'user', 'mfa'] });
    expect((await ask()).body.code).not.toBe('step_up_required');
  });

  test('replace a password, which a recovery sets again', async () => {
    const person = await register(server);
    const { browser, email } = person;
    await proveAddress(server, person);
    const first = await addPasskey(browser);
    expect(await change(browser, 'DELETE', '/account/password')).toSay('409 last_way_in');
    const second = await addPasskey(browser);
    expect(await change(browser, 'DELETE', '/account/password')).toSay('204');
    expect(await change(browser, 'DELETE', '/account/password')).toSay('204');
    expect(await server.client().post('/auth/login', { email, password })).toSay('401 incorrect_login_or_password');
    expect((await server.mailTo(email, /password for your .* was removed/)).text).toContain('/recovery/');
    expect(await kindsOf(browser)).toContain('password_removed');

    expect(await remove(browser, first.id)).toSay('204');
    expect(await remove(browser, second.id)).toSay('409 last_way_in');
    expect(await signInWith(server.client(), second)).toSay('200');
    const word = 'snow on slate roofs';
    await resetByEmail(server, { email, word });
    const back = await signedIn(server, email, word);
    expect(await remove(back, second.id)).toSay('204');
  });
});

describe.each(engines)('changes of passkeys that meet, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('have ids that no other account can take, also concurrently', async () => {
    const people = [await register(server), await register(server), await register(server)];
    const { id } = openAuthenticator();
    const responses = await Promise.all(
      people.map(async ({ browser }) => {
        const credential = openAuthenticator({ id }).create(await creationOptions(browser));
        return browser.post('/account/passkeys', { credential });
      }),
    );
    expect(responses.map(statusAndCode).sort()).toEqual(['201', '409 passkey_exists', '409 passkey_exists']);
  });

  test('are at most 50, also concurrently, and the browser creates none beyond that', async () => {
    const { id, browser } = await register(server);
    const first = await addPasskey(browser);
    const row = await findPasskey(server.store, first.id);
    const { handle: _handle, ...passkey } = row as NonNullable<typeof row>;
    const values = Array.from({ length: 48 }, (_, at) => ({ ...passkey, id: `${at}${id}` }));
    await server.store.insertInto('passkeys').values(values).execute();
    const optionsOfTwo = [await creationOptions(browser), await creationOptions(browser)];
    const added = await Promise.all(
      optionsOfTwo.map((options) =>
        browser.post('/account/passkeys', { credential: openAuthenticator().create(options) }),
      ),
    );
    expect(added.map(statusAndCode).sort()).toEqual(['201', '422 passkey_refused']);
    expect(added.find(({ status }) => status === 422)?.body).toMatchObject({ limit: 50 });
    const refused = await browser.post('/account/passkeys/challenge', {});
    expect(refused).toMatchObject({ status: 422, body: { code: 'passkey_refused', limit: 50 } });
    expect(await ids(browser)).toHaveLength(50);
    expect(await remove(browser, first.id)).toSay('204');
    await addPasskey(browser);
  });

  test('cannot be removed together by two requests', async () => {
    const { browser } = await register(server);
    const [first, second] = [await addPasskey(browser), await addPasskey(browser)];
    await change(browser, 'DELETE', '/account/password');
    const responses = await Promise.all([remove(browser, first.id), remove(browser, second.id)]);
    expect(responses.map(statusAndCode).sort()).toEqual(['204', '409 last_way_in']);
    expect(await ids(browser)).toHaveLength(1);
  });

  test('and the password cannot be removed together', async () => {
    const { browser } = await register(server);
    const [first, second] = [await addPasskey(browser), await addPasskey(browser)];
    const responses = await Promise.all([
      ...[remove(browser, first.id), remove(browser, second.id)],
      change(browser, 'DELETE', '/account/password'),
    ]);
    expect(responses.filter(({ status }) => status === 409).length).toBeGreaterThan(0);
    const left: string[] = await ids(browser);
    const { password_hash: hash } = await server.store
      .selectFrom('accounts')
      .innerJoin('sessions', 'sessions.account_id', 'accounts.id')
      .select('password_hash')
      .where('sessions.id', '=', sessionIn(browser))
      .executeTakeFirstOrThrow();
    expect([left.length > 0, hash]).not.toEqual([false, 'imported:none']);
  });
});

const sessionIn = ({ token = '' }: Client): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid;

describe.each(usualEngines)('the counter of a passkey, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test.each([
    ['goes back', 3],
    ['stays', 5],
  ])('is refused and reported if it %s, and a later one works', async (_what, counter) => {
    const { browser, email } = await register(server);
    const authenticator = await addPasskey(browser, openAuthenticator({ synced: false }));
    expect(await signInWith(server.client(), authenticator, { counter: 5 })).toSay('200');
    expect(await signInWith(server.client(), authenticator, { counter })).toSay('401 passkey_refused');
    expect((await server.mailTo(email, /may have been copied/)).text).toContain('/account/security/');
    expect(await kindsOf(browser)).toContain('passkey_copied');
    expect(await signInWith(server.client(), authenticator, { counter: 6 })).toSay('200');
    expect(await reports(server, email)).toBe(1);
  });

  test('is reported, but accepted, if the authenticator stops counting', async () => {
    const { browser, email } = await register(server);
    const authenticator = await addPasskey(browser, openAuthenticator({ synced: false }));
    for (const counter of [5, 0, 0]) expect(await signInWith(server.client(), authenticator, { counter })).toSay('200');
    expect(await reports(server, email)).toBe(1);
  });

  test('is reported, but accepted, for a synced passkey, whose devices may count separately', async () => {
    const { browser, email } = await register(server);
    const authenticator = await addPasskey(browser);
    for (const counter of [0, 0, 7, 2, 3])
      expect(await signInWith(server.client(), authenticator, { counter })).toSay('200');
    expect(await reports(server, email)).toBe(1);
  });
});

describe.each(usualEngines)('the backup eligibility of a passkey, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test.each([
    ['begins to be synced', false],
    ['is no longer synced', true],
  ])('is stored and recorded if it %s, and its owner gets one email', async (_what, synced) => {
    const { browser, email } = await register(server);
    const authenticator = await addPasskey(browser, openAuthenticator({ synced, counts: false }));
    const use = (backupEligible: boolean) =>
      signInWith(server.client(), authenticator, { backupEligible, backedUp: backupEligible });
    for (const isEligible of [!synced, !synced, synced, !synced]) {
      const { status, body } = await use(isEligible);
      expect(status).toBe(200);
      // A key that could ever be copied is not bound to hardware.
      expect(JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString()).amr).toContain('swk');
    }
    expect(await findPasskey(server.store, authenticator.id)).toMatchObject({ backup_eligible: synced ? 0 : 1 });
    expect((await kindsOf(browser)).filter((kind: string) => kind === 'passkey_changed')).toHaveLength(3);
    expect((await server.mailTo(email, /has changed/)).text).toContain('/account/security/');
    const notices = await server.store.selectFrom('outbox').select('notice').where('recipient', '=', email).execute();
    expect(notices.filter(({ notice }) => notice === 'passkey_changed')).toHaveLength(1);
  });
});

describe.each(engines)('copies of a passkey, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('lets only one of two copies in, however close they arrive', async () => {
    const { browser, email } = await register(server);
    const authenticator = await addPasskey(browser, openAuthenticator({ synced: false }));
    const browsers = [server.client(), server.client()];
    const credentials = await Promise.all(
      browsers.map(async (one) => authenticator.use(await signInOptions(one), { counter: 9 })),
    );
    const responses = await Promise.all(
      browsers.map((one, at) => one.post('/auth/passkeys/login', { credential: credentials[at] })),
    );
    expect(responses.map(statusAndCode).sort()).toEqual(['200', '401 passkey_refused']);
    expect(await reports(server, email)).toBe(1);
  });
});
