import { describe, expect, test } from 'vitest';
import { hours } from '../../contract/units.ts';
import { addPromoCode } from '../../store/accounts/promo-codes.ts';
import { statusAndCode } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { startMailServer } from '../../testing/mail/mail-server.ts';
import { form, password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('registering, on %s', async (engine) => {
  const testServer = await openTestServer(engine, {
    EMAIL_BLOCKLIST: 'blocked.example, @spam.example, bücher.example, @xn--mnchen-3ya.example, Carl@one.example',
    MAIL_FROM: 'Door <no-reply@door.example>',
  });
  const send = async (changes: Record<string, unknown>) => testServer.client().post('/auth/register', form(changes));

  test('creates a signed-in account with the typed details, which starts at the computers', async () => {
    const { email, browser } = await register(testServer, {
      name: '  Анна Берг ',
      phone: '8 (912) 345-67-89',
      organization: 'Берг и Ко',
      inn: '7707083893',
      consent_offers: true,
      locale: 'ru',
      db_type: 'cloud',
    });
    expect((await browser.get('/additionally/way')).body).toEqual({ last_place: '/ru/computers/add/' });
    const account = await browser.get('/account');
    expect(account.body).toMatchObject({
      name: 'Анна Берг',
      email,
      phone: '+79123456789',
      phone_confirmed: false,
      organization: 'Берг и Ко',
      inn: '7707083893',
      locale: 'ru',
      consents: [
        { kind: 'personal_data', given: true, version: 1, locale: 'ru' },
        { kind: 'offers', given: true, version: 1, locale: 'ru' },
      ],
    });
  });

  test.each([
    [
      'an empty form',
      {
        name: undefined,
        email: undefined,
        phone: undefined,
        password: undefined,
        password_repeat: undefined,
        consent_personal_data: undefined,
        locale: undefined,
      },
      '422 validation_failed name required email email_required phone required password password_required password_repeat required consent_personal_data consent_required locale not_understood',
    ],
    ['an unknown promo code', { promo_code: 'UNKNOWN1' }, '422 validation_failed promo_code promo_code_unknown'],
    [
      'everything that only the server can check, in one response',
      { password: '123456', password_repeat: '123456', phone: '123', promo_code: 'UNKNOWN1' },
      '422 validation_failed password password_common phone phone_invalid promo_code promo_code_unknown',
    ],
    ['a blocked domain', { email: 'a@blocked.example' }, '422 email_cannot_be_used'],
    [
      'a blocked domain in another script, written in A-labels',
      { email: 'a@xn--bcher-kva.example' },
      '422 email_cannot_be_used',
    ],
    ['a blocked domain in another script', { email: 'a@BÜCHER.example' }, '422 email_cannot_be_used'],
    ['a domain whose A-labels are blocked', { email: 'a@münchen.example' }, '422 email_cannot_be_used'],
    ['a blocked address', { email: 'carl@ONE.example' }, '422 email_cannot_be_used'],
    ['an address without a server', { email: 'a@nowhere.invalid' }, '422 email_cannot_be_used'],
    ['our own address', { email: 'no-reply@door.example' }, '422 email_cannot_be_used'],
  ])('refuses %s', async (_name, changes, expected) => expect(await send(changes)).toSay(expected));

  test.each([
    ['is refused if the relay does not support it', true, '422 email_cannot_be_used'],
    ['is accepted if the relay supports it', false, '201'],
  ])('a non-ASCII address %s', async (_, hideSMTPUTF8, expected) => {
    const server = await startMailServer({ hideSMTPUTF8 });
    const relayed = await openTestServer(engine, { SMTP_URL: `smtp://127.0.0.1:${server.port}` });
    let people = 0;
    const registered = async () => {
      people += 1;
      return statusAndCode(
        await relayed.client().post('/auth/register', form({ email: `адам${people}@пример.example` })),
      );
    };
    // A registration does not wait for a slow relay, so the first result may be the other one.
    await expect.poll(registered).toBe(expected);
    if (expected === '201') await expect.poll(() => server.arrived.length).toBeGreaterThan(0);
  });

  test('a non-ASCII address is accepted while the relay is down, so its support is unknown', async () => {
    const server = await startMailServer();
    await server.close();
    const relayed = await openTestServer(engine, { SMTP_URL: `smtp://127.0.0.1:${server.port}` });
    const from = form({ email: 'адам@пример.example' });
    expect(await relayed.client().post('/auth/register', from)).toSay('201');
  });

  test.each([73, 128])('all of the %i characters of a password count', async (length) => {
    const long = `${'pß'.repeat(64)}`.slice(0, length);
    const { email } = await register(testServer, { password: long, password_repeat: long });
    const browser = testServer.client();
    expect(await browser.post('/auth/login', { email, password: long.slice(0, -1) })).toSay(
      '401 incorrect_login_or_password',
    );
    expect(await browser.post('/auth/login', { email, password: long })).toSay('200');
  });

  test('an address belongs to one account, in any spelling', async () => {
    const { email } = await register(testServer);
    expect(await send({ email: ` ${email.toUpperCase()}\u200b` })).toSay('409 account_exists');
  });

  test('an address is stored in one spelling, so that a stranger cannot take it in an undeliverable one', async () => {
    const { email } = await register(testServer, { email: '\u212aate.Squat@Exa\uff4dple\u3002com' });
    const { store } = testServer;
    const kept = await store
      .selectFrom('accounts')
      .select('email')
      .where('email_key', '=', 'kate.squat@example.com')
      .execute();
    expect(kept).toEqual([{ email: 'Kate.Squat@example.com' }]);
    expect((await testServer.mailTo('Kate.Squat@example.com')).to).toBe('Kate.Squat@example.com');
    expect(await send({ email: 'kate.squat@example.com' })).toSay('409 account_exists');
    expect(await testServer.client().post('/auth/login', { email, password })).toSay('200');
  });

  test('unknown fields have no effect', async () => {
    const { browser } = await register(testServer, {
      id: 'mine',
      role: 'admin',
      phone_confirmed: true,
      phone_confirmed_at: 1,
      last_place: 'https://evil.example/',
    });
    const body = JSON.stringify(form()).replace('{', '{"__proto__":{"role":"admin"},');
    expect(await testServer.client().post('/auth/register', body)).toSay('201');
    const account = await browser.get('/account');
    expect(account.body).toMatchObject({ phone_confirmed: false });
    expect(account.body.id).not.toBe('mine');
  });

  test('the owner gets an email in the language of the form', async () => {
    const { email } = await register(testServer, { locale: 'ja', name: '山田太郎' });
    const mail = await testServer.mailTo(email);
    expect(mail.html).toContain('lang="ja"');
    expect(mail.text).toContain('https://door.example/ja/account/security/');
  });

  test('an IP address can create only a limited number of accounts an hour; refused forms do not count', async () => {
    const strict = await openTestServer(engine, { ACCOUNTS_PER_ADDRESS: '3' });
    const from = (ip: string) => strict.client({ ip });
    for (let time = 0; time < 5; time += 1)
      expect(await from('192.0.2.1').post('/auth/register', form({ phone: '1' }))).toSay(/^422/);
    for (let time = 0; time < 3; time += 1) expect(await from('192.0.2.1').post('/auth/register', form())).toSay('201');
    const refused = await from('192.0.2.1').post('/auth/register', form());
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests', minutes: 60 } });
    expect(await from('192.0.2.2').post('/auth/register', form())).toSay('201');
    strict.forward(hours(1));
    expect(await from('192.0.2.1').post('/auth/register', form())).toSay('201');
  });

  test('the account contains only a hash of the password', async () => {
    const server = await openTestServer(engine, {}, { fullHashes: true });
    const { email } = await register(server);
    const account = await server.store
      .selectFrom('accounts')
      .selectAll()
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(account)).not.toContain(password);
    expect(account.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe.each(engines)('parallel registrations, on %s,', async (engine) => {
  const testServer = await openTestServer(engine);
  const send = async (changes: Record<string, unknown>) => testServer.client().post('/auth/register', form(changes));

  test('only one of twenty parallel registrations of an address succeeds, and the others leave no rows', async () => {
    const { store } = testServer;
    const counts = async () => [
      (await store.selectFrom('accounts').select('id').execute()).length,
      (await store.selectFrom('consents').select('id').execute()).length,
      (await store.selectFrom('sessions').select('id').execute()).length,
    ];
    const before = await counts();
    const email = 'twenty@example.com';
    const responses = await Promise.all(Array.from({ length: 20 }, async () => statusAndCode(await send({ email }))));
    expect(responses.filter((response) => response === '201')).toHaveLength(1);
    expect(responses.filter((response) => response === '409 account_exists')).toHaveLength(19);
    const after = await counts();
    expect(after.map((count, at) => count - (before[at] as number))).toEqual([1, 2, 1]);
  });

  test('the limits of accounts and guesses per IP address also hold for parallel forms', async () => {
    const strict = await openTestServer(engine, { ACCOUNTS_PER_ADDRESS: '3', REGISTRATION_GUESSES_PER_ADDRESS: '10' });
    const { email } = await register(strict);
    const send = (ip: string, changes: Record<string, unknown>) =>
      Promise.all(Array.from({ length: 24 }, () => strict.client({ ip }).post('/auth/register', form(changes))));
    const opened = (await send('192.0.2.1', {})).map(statusAndCode);
    expect(opened.filter((response) => response === '201')).toHaveLength(3);
    expect(opened.filter((response) => response === '429 too_many_requests')).toHaveLength(21);
    const guessed = (await send('192.0.2.2', { email })).map(statusAndCode);
    expect(guessed.filter((response) => response.startsWith('409')).length).toBeLessThanOrEqual(10);
    expect(new Set(guessed)).toEqual(new Set(['409 account_exists', '429 too_many_requests']));
  });

  test('a promo code works for its number of uses, and until it expires', async () => {
    const { store, now, forward } = testServer;
    await addPromoCode(store, { code: 'welcome', uses: 2, until: null, at: now() });
    await addPromoCode(store, { code: 'summer', uses: null, until: now() + hours(1), at: now() });
    const responses = await Promise.all(
      Array.from({ length: 5 }, async () => statusAndCode(await send({ promo_code: 'WelCome' }))),
    );
    expect(responses.filter((response) => response === '201')).toHaveLength(2);
    expect(await send({ promo_code: 'summer' })).toSay('201');
    forward(hours(2));
    expect(await send({ promo_code: 'summer' })).toSay('422 validation_failed promo_code promo_code_unknown');
  });
});
