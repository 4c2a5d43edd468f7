import { describe, expect, test } from 'vitest';
import type { SiteSettings } from '../../contract/settings.ts';
import { minutes } from '../../contract/units.ts';
import { randomSecret } from '../../security/macs.ts';
import { openService } from '../../server/open-service.ts';
import { readConfig } from '../../server/settings/config.ts';
import { addPromoCode } from '../../store/accounts/promo-codes.ts';
import { statusAndCode } from '../../testing/client.ts';
import { engines, freshDatabase, usualEngines, withLongTimeouts } from '../../testing/databases/databases.ts';
import { onFileEnd } from '../../testing/file-cleanup.ts';
import { confirmedPhone, form, kindsOf, password } from '../../testing/people.ts';
import { openSharedSite } from '../../testing/shared-pages.ts';
import { openTestServer } from '../../testing/test-server.ts';
import type { Registration } from './register.contract.ts';
import { registerOnce } from './register.ts';

describe.each(usualEngines)('a registration whose response was lost, on %s,', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });
  /** Registers a person but drops the response; `again` repeats the request. */
  async function registerUnheard(changes: Record<string, unknown> = {}) {
    const person = form({ attempt: randomSecret(128), ...changes });
    expect(await server.client().post('/auth/register', person)).toSay('201');
    const again = (more: Record<string, unknown> = {}) => {
      const browser = server.client();
      return browser.post('/auth/register', { ...person, ...more }).then((response) => ({ browser, response }));
    };
    return { person, email: String(person.email), again };
  }

  test('signs in when it is repeated, and duplicates nothing but the session', async () => {
    const { email, again } = await registerUnheard({ organization: 'Acme', consent_offers: true });
    await server.mailTo(email);
    server.forward(minutes(9));
    const { browser, response } = await again();
    expect(response).toMatchObject({ status: 201, body: { token_type: 'Bearer', expires_in: 600 } });
    expect((await browser.get('/account')).body).toMatchObject({ email, organization: 'Acme' });
    expect(await browser.post('/auth/refresh')).toSay('200');
    expect(await kindsOf(browser)).toEqual(['signed_in', 'registered']);
    expect((await browser.get('/additionally/way')).body).toEqual({ last_place: '/computers/add/' });
    const { emails, consents, devices } = (await browser.get('/account/export')).body;
    expect([emails.length, consents.length, devices.length]).toEqual([1, 2, 2]);
  });

  test.each([
    ['another password', { password: 'snow on a warm roof', password_repeat: 'snow on a warm roof' }],
    ['another attempt', { attempt: randomSecret(128) }],
    ['a missing attempt', { attempt: undefined }],
    ['another phone', { phone: '+49 1512 3456780' }],
    ['another name', { name: 'Anna' }],
    ['another organization', { organization: 'Acme' }],
    ['another choice about offers', { consent_offers: true }],
  ])('is refused as an existing account with %s, and gets no cookie', async (_, changes) => {
    const { again } = await registerUnheard();
    const { browser, response } = await again(changes);
    expect(response).toSay('409 account_exists');
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended no_session');
  });

  test('accepts only attempts of 22 to 64 base64url characters', async () => {
    const { again } = await registerUnheard({ attempt: 'x'.repeat(64) });
    expect((await again()).response).toSay('201');
    for (const attempt of ['x'.repeat(21), 'x'.repeat(65), `${'x'.repeat(22)}=`, 22, ['x'.repeat(22)]])
      expect((await again({ attempt })).response).toSay('422 validation_failed attempt not_understood');
  });

  test('stores the attempt as a hash, and the export contains neither', async () => {
    const { person, email, again } = await registerUnheard();
    const { registration_attempt } = await server.store
      .selectFrom('accounts')
      .select('registration_attempt')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    expect(registration_attempt).toMatch(/^[0-9a-f]{64}$|^[\w-]{43}$/);
    const { browser } = await again();
    const exported = JSON.stringify((await browser.get('/account/export')).body);
    expect([registration_attempt, person.attempt].filter((secret) => exported.includes(String(secret)))).toEqual([]);
  });

  test('creates a second account for another address with the same attempt', async () => {
    const { again } = await registerUnheard();
    const { browser, response } = await again({ email: 'another.wish@example.com' });
    expect(response).toSay('201');
    expect(await kindsOf(browser)).toEqual(['registered']);
  });

  test('cannot be repeated after ten minutes: its owner signs in instead', async () => {
    const { again } = await registerUnheard();
    server.forward(minutes(10));
    expect((await again()).response).toSay('409 account_exists');
  });

  test('can be repeated with the confirmation that it used', async () => {
    const { call: _, ...sent } = await confirmedPhone(server);
    const { again } = await registerUnheard(sent);
    const { browser, response } = await again();
    expect(response).toSay('201');
    expect((await browser.get('/account')).body).toMatchObject({ phone: sent.phone, phone_confirmed: true });
  });

  test('uses a promo code once, even the last of its uses', async () => {
    const { store, now } = server;
    await addPromoCode(store, { code: 'only one', uses: 1, until: null, at: now() });
    const { again } = await registerUnheard({ promo_code: 'Only One' });
    expect((await again()).response).toSay('201');
    const code = await server.store
      .selectFrom('promo_codes')
      .select(['used', 'uses_left'])
      .where('code', '=', 'ONLY ONE')
      .executeTakeFirst();
    expect(code).toEqual({ used: 1, uses_left: 0 });
    const stranger = await server.client().post('/auth/register', form({ promo_code: 'Only One' }));
    expect(stranger).toSay('422 validation_failed promo_code promo_code_unknown');
  });

  test('permits five password guesses and has its own lockout, so that strangers cannot lock the sign-in', async () => {
    const { email, again } = await registerUnheard();
    for (let n = 0; n < 5; n += 1)
      expect((await again({ password: `guess ${n}`, password_repeat: `guess ${n}` })).response).toSay(
        '409 account_exists',
      );
    expect((await again()).response).toSay('409 account_exists');
    expect(await server.client().post('/auth/login', { email, password })).toSay('200');
    server.forward(minutes(1));
    expect((await again()).response).toSay('201');
  });

  test('cannot cancel a deletion or sign in to an account that an operator locked', async () => {
    const { again, email } = await registerUnheard();
    const { browser } = await again();
    expect(await browser.send('DELETE', '/account', { body: { password } })).toSay('204');
    expect((await again()).response).toSay('409 account_exists');
    const locked = await registerUnheard();
    await server.store.updateTable('accounts').set({ locked_at: 1 }).where('email', '=', locked.email).execute();
    expect((await locked.again()).response).toSay('422 email_cannot_be_used');
    const { delete_at } = await server.store
      .selectFrom('accounts')
      .select('delete_at')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    expect(delete_at).not.toBeNull();
  });
});

describe.each(engines)('a registration whose response was lost, on %s,', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });

  test('may be repeated twenty times in parallel: all succeed, with one account', async () => {
    const { phone, phone_confirmation } = await confirmedPhone(server);
    const person = form({ phone, phone_confirmation, attempt: randomSecret(128) });
    const wrong = { password: 'snow on a warm roof', password_repeat: 'snow on a warm roof' };
    const send = async (more: object = {}) =>
      statusAndCode(await server.client().post('/auth/register', { ...person, ...more }));
    const repeats = Array.from({ length: 20 }, () => send());
    expect([...new Set(await Promise.all(repeats))]).toEqual(['201']);
    // These are sent later: the address is already taken.
    for (const attempt of [randomSecret(128), undefined])
      expect(await send({ attempt, ...wrong })).toMatch(/^(409 account_exists|422 .* phone_not_confirmed)$/);
    const browser = server.client();
    await browser.post('/auth/login', { email: person.email, password });
    expect((await kindsOf(browser)).filter((kind) => kind === 'registered')).toHaveLength(1);
    const { emails } = (await browser.get('/account/export')).body;
    expect(emails).toHaveLength(1);
  });
});

const visitor = {
  ip: '192.0.2.1',
  userAgent: '',
  timeZone: undefined,
  source: '192.0.2.1',
  networks: [],
  paidNetworks: [],
};

const browser = { visitor, deviceToken: undefined, formerSession: undefined };

describe.each(engines)('two parallel requests of one registration, on %s,', (engine) => {
  async function openAlone() {
    const { dataDir, databaseUrl } = await freshDatabase(engine);
    const config = readConfig({
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      PUBLIC_URL: 'https://door.example',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      PHONE_CONFIRMATION: 'off',
    });
    const openSite = (settings: SiteSettings) => openSharedSite(settings, { ownPages: false });
    const service = await openService({ config, openSite, ...withLongTimeouts });
    onFileEnd(() => service.close());
    return service;
  }

  /** Holds requests after hashing the password until `count` of them arrive, so that they then commit in parallel. */
  function abreast(count: number): (hash: string) => Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let come = 0;
    return async (hash) => {
      come += 1;
      if (come === count) resolve();
      await promise;
      return hash;
    };
  }

  test.each([
    ['for one address', {}],
    ['for the last use of a promo code', { promo_code: 'ONLY ONE' }],
  ])('%s, both get the one account', async (_what, changes) => {
    const service = await openAlone();
    const { passwords } = service;
    await addPromoCode(service.store, { code: 'only one', uses: 1, until: null, at: service.now() });
    const together = abreast(2);
    const hash = (password: string) => passwords.hash(password).then(together);
    // The gate admits as many hashes as there are processors, maybe only one.
    const gate = { ...service.gate, run: <Result>(_place: object, work: () => Promise<Result>) => work() };
    const person = form({ attempt: randomSecret(128), ...changes }) as Registration;
    const first = { ...service, gate, passwords: { ...passwords, hash } } as typeof service;
    const registered = await Promise.all([registerOnce(first, person, browser), registerOnce(first, person, browser)]);
    expect(registered.map(({ isRepeated }) => isRepeated).sort()).toEqual([false, true]);
    expect(new Set(registered.map(({ accountId }) => accountId)).size).toBe(1);
  });
});
