import { describe, expect, it, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { statusAndCode } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import {
  type Algorithm,
  addPasskey,
  creationOptions,
  openAuthenticator,
  signInOptions,
  signInWith,
} from '../../testing/passkey-authenticator.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('a passkey, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  it.each(['ES256', 'EdDSA', 'RS256'] satisfies Algorithm[])(
    'signs in with %s, without an email',
    async (algorithm) => {
      const { email, browser } = await register(server);
      const authenticator = await addPasskey(browser, openAuthenticator({ algorithm }));
      const other = server.client();
      expect(await signInWith(other, authenticator)).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
      expect((await other.get('/account')).body.email).toBe(email);
    },
  );

  it('has options that do not name an account', async () => {
    const options = await signInOptions(server.client());
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: minutes(5),
      rpId: 'door.example',
      userVerification: 'required',
    });
  });

  it('has a random user handle, the same for all passkeys of an account', async () => {
    const [one, other] = [await register(server), await register(server)];
    const first = await creationOptions(one.browser);
    await addPasskey(one.browser);
    const second = await creationOptions(one.browser);
    expect(second.user).toEqual(first.user);
    expect(Buffer.from(first.user.id, 'base64url')).toHaveLength(32);
    expect((await creationOptions(other.browser)).user.id).not.toBe(first.user.id);
    expect(first).toMatchObject({
      rp: { id: 'door.example', name: 'Vestibule' },
      user: { name: one.email, displayName: 'Anna Berg' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    });
  });
});

describe.each(usualEngines)('passkeys, on %s', (engine) => {
  test('belong to the domain of WEBAUTHN_RP_ID, and work on the origins that it lists', async () => {
    const server = await openTestServer(engine, {
      PUBLIC_URL: 'https://door.example',
      WEBAUTHN_RP_ID: 'example',
      WEBAUTHN_RELATED_ORIGINS: 'https://shop.test, https://door.example',
    });
    const { browser } = await register(server);
    const authenticator = await addPasskey(browser);
    expect((await signInOptions(browser)).rpId).toBe('example');
    const origins = ['https://door.example', 'https://shop.test'];
    expect((await server.client().get('/.well-known/webauthn')).body).toEqual({ origins });
    for (const origin of origins) expect(await signInWith(server.client(), authenticator, { origin })).toSay('200');
    for (const claims of [{ origin: 'https://other.test' }, { rpId: 'door.example' }, { rpId: 'shop.test' }])
      expect(await signInWith(server.client(), authenticator, claims)).toSay('401 passkey_refused');
  });

  test.each([
    ['PASSKEYS=off', { PASSKEYS: 'off' }],
    ['an IP address as host, for which browsers have none', { PUBLIC_URL: 'https://192.0.2.1' }],
  ])('do not exist with %s', async (_what, settings) => {
    const server = await openTestServer(engine, settings);
    const { browser } = await register(server);
    for (const response of [
      await browser.post('/auth/passkeys/challenge'),
      await browser.post('/auth/passkeys/login', {
        credential: openAuthenticator().use({ rpId: 'a', challenge: 'b' }),
      }),
      await browser.post('/account/passkeys/challenge'),
      await browser.get('/account/passkeys'),
      await browser.post('/auth/step-up/challenge'),
      await browser.get('/.well-known/webauthn'),
    ])
      expect(response).toSay('404 not_found');
  });
});

async function owner(server: TestServer) {
  const { browser, email } = await register(server);
  return { browser, email, authenticator: await addPasskey(browser) };
}

describe.each(usualEngines)('a challenge, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('is used up by a refused response', async () => {
    const { authenticator } = await owner(server);
    const browser = server.client();
    const options = await signInOptions(browser);
    const send = (claims = {}) =>
      browser.post('/auth/passkeys/login', { credential: authenticator.use(options, claims) });
    expect(await send({ verified: false })).toSay('401 passkey_refused');
    expect(await send()).toSay('410 challenge_expired');
  });

  test('expires after five minutes', async () => {
    const server = await openTestServer(engine);
    const { authenticator, browser: own } = await owner(server);
    const browser = server.client();
    const [early, late] = [await signInOptions(browser), await signInOptions(browser)];
    const creation = await creationOptions(own);
    server.forward(minutes(4));
    const send = (options: typeof early) =>
      browser.post('/auth/passkeys/login', { credential: authenticator.use(options) });
    expect(await send(early)).toSay('200');
    server.forward(minutes(1));
    expect(await send(late)).toSay('410 challenge_expired');
    const credential = openAuthenticator().create(creation);
    expect(await own.post('/account/passkeys', { credential })).toSay('410 challenge_expired');
  });

  test('belongs to one browser, and stays valid there', async () => {
    const { authenticator } = await owner(server);
    const [browser, other, bare] = [server.client(), server.client(), server.client()];
    await signInOptions(other);
    const credential = authenticator.use(await signInOptions(browser));
    for (const thief of [other, bare])
      expect(await thief.post('/auth/passkeys/login', { credential })).toSay('410 challenge_expired');
    expect(await browser.post('/auth/passkeys/login', { credential })).toSay('200');
  });

  test('belongs to one purpose, and stays valid for it', async () => {
    const { browser, authenticator } = await owner(server);
    const [signIn, creation, stepUp] = [
      await signInOptions(browser),
      await creationOptions(browser),
      (await browser.post('/auth/step-up/challenge')).body,
    ];
    const { rpId } = signIn;
    const use = ({ challenge }: { challenge: string }) => authenticator.use({ rpId, challenge });
    const login = (options: { challenge: string }) =>
      browser.copy().post('/auth/passkeys/login', { credential: use(options) });
    const prove = (options: { challenge: string }) => browser.post('/auth/step-up', { credential: use(options) });
    const add = ({ challenge }: { challenge: string }) =>
      browser.post('/account/passkeys', { credential: openAuthenticator().create({ ...creation, challenge }) });
    for (const response of [
      ...[await login(creation), await login(stepUp)],
      ...[await prove(signIn), await prove(creation)],
      ...[await add(signIn), await add(stepUp)],
    ])
      expect(response).toSay('410 challenge_expired');
    expect(await add(creation)).toSay('201');
    expect(await prove(stepUp)).toSay('200');
    expect(await login(signIn)).toSay('200');
  });

  test('belongs to one account and session, and stays valid there', async () => {
    const { browser, email } = await owner(server);
    const options = await creationOptions(browser);
    const credential = openAuthenticator().create(options);
    // The same browser, signed in to another account, and to the same account again.
    const elsewhere = browser.copy();
    const { browser: stranger } = await register(server);
    for (const [name, value] of stranger.cookies) if (!/passkeys/.test(name)) elsewhere.cookies.set(name, value);
    elsewhere.token = stranger.token;
    expect(await elsewhere.post('/account/passkeys', { credential })).toSay('410 challenge_expired');
    const again = server.client();
    again.cookies.set('__Host-passkeys', browser.cookies.get('__Host-passkeys') ?? '');
    await again.post('/auth/login', { email, password });
    expect(await again.post('/account/passkeys', { credential })).toSay('410 challenge_expired');
    expect(await browser.post('/account/passkeys', { credential })).toSay('201');
  });

  test('does not end earlier ones, and two ceremonies in a new browser do not disturb each other', async () => {
    const { authenticator } = await owner(server);
    const browser = server.client();
    await browser.get('/auth/csrf');
    // Two tabs that load together: neither has the cookie yet.
    const [one, other] = await Promise.all([signInOptions(browser), signInOptions(browser)]);
    expect(one.challenge).not.toBe(other.challenge);
    for (const options of [other, one]) {
      const credential = authenticator.use(options);
      expect(await browser.post('/auth/passkeys/login', { credential })).toSay('200');
    }
  });

  test('is limited by source, without a limit for others and for known devices of the same office', async () => {
    const server = await openTestServer(engine);
    const { authenticator, browser } = await owner(server);
    await browser.post('/auth/logout');
    const neighbor = server.client({ ip: '203.0.113.5' });
    for (const [name, value] of browser.cookies) neighbor.cookies.set(name, value);
    const stranger = server.client({ ip: '203.0.113.5' });
    const unknown = openAuthenticator();
    for (let tries = 0; tries < 100; tries += 1)
      expect(await signInWith(stranger, unknown)).toSay('401 passkey_unknown');
    expect(await signInWith(stranger, unknown)).toSay('429 too_many_requests');
    expect(await signInWith(neighbor, authenticator)).toSay('200');
    expect(await signInWith(server.client({ ip: '203.0.113.6' }), authenticator)).toSay('200');
    server.forward(minutes(16));
    expect(await signInWith(stranger, authenticator)).toSay('200');
  });
});

describe.each(engines)('a challenge in parallel requests, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('works once for parallel requests', async () => {
    const { authenticator } = await owner(server);
    const browser = server.client();
    const options = await signInOptions(browser);
    const send = (counter: number) =>
      browser.copy().post('/auth/passkeys/login', { credential: authenticator.use(options, { counter }) });
    const responses = await Promise.all([1, 2, 3, 4, 5, 6].map(send));
    expect(responses.map(statusAndCode).sort()).toEqual(['200', ...Array(5).fill('410 challenge_expired')]);
  });

  test('works once for a creation in parallel, also with two authenticators', async () => {
    const { browser } = await register(server);
    const options = await creationOptions(browser);
    const responses = await Promise.all(
      [1, 2, 3].map(() => browser.post('/account/passkeys', { credential: openAuthenticator().create(options) })),
    );
    expect(responses.map(statusAndCode).sort()).toEqual(['201', '410 challenge_expired', '410 challenge_expired']);
    expect((await browser.get('/account/passkeys')).body.passkeys).toHaveLength(1);
  });
});
