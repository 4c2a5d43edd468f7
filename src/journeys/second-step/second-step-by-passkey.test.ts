import { describe, expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { beginSignIn, registerWithAuthenticator } from '../../testing/authenticator.ts';
import { type Client, claimsOf, statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { addPasskey, openAuthenticator, signInOptions, signInWith } from '../../testing/passkey-authenticator.ts';
import { letPass } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

async function owner(server: TestServer) {
  const person = await registerWithAuthenticator(server);
  return { ...person, passkey: await addPasskey(person.browser) };
}

const challenge = async (browser: Client) => (await browser.post('/auth/second-step/challenge')).body;

describe.each(usualEngines)('a second step with a passkey, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('completes a sign-in with a password', async () => {
    const { email, passkey } = await owner(server);
    const browser = await beginSignIn(server, email);
    expect((await browser.get('/auth/second-step')).body.ways).toEqual(['authenticator', 'passkey', 'recovery_code']);
    const options = await challenge(browser);
    expect(options).toMatchObject({ allowCredentials: [{ id: passkey.id }], userVerification: 'required' });
    const credential = passkey.use(options);
    expect(await browser.post('/auth/second-step', { credential })).toSay('200');
    expect(claimsOf(browser)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'swk', 'user', 'mfa'] });
    expect((await browser.get('/account')).body.email).toBe(email);
    expect(await browser.post('/auth/second-step', { credential })).toSay('410 sign_in_expired');
  });

  test('is not needed after a sign-in with a passkey', async () => {
    const { passkey } = await owner(server);
    const browser = server.client();
    expect(await signInWith(browser, passkey)).toSay('200');
    expect(claimsOf(browser)).toMatchObject({ acr: 'aal2', amr: ['swk', 'user', 'mfa'] });
  });

  test('needs a challenge of its own, of this pending sign-in', async () => {
    const { email, passkey } = await owner(server);
    const [browser, other] = [await beginSignIn(server, email), await beginSignIn(server, email)];
    const signIn = passkey.use(await signInOptions(browser));
    expect(await browser.post('/auth/second-step', { credential: signIn })).toSay('410 challenge_expired');
    const credential = passkey.use(await challenge(browser));
    other.cookies.set('__Host-passkeys', browser.cookies.get('__Host-passkeys') ?? '');
    expect(await other.post('/auth/second-step', { credential })).toSay('410 challenge_expired');
    expect(await browser.copy().post('/auth/passkeys/login', { credential })).toSay('410 challenge_expired');
    expect(await browser.post('/auth/second-step', { credential })).toSay('200');
    expect(await server.client().post('/auth/second-step/challenge')).toSay('410 sign_in_expired');
  });

  test('needs a passkey of this account', async () => {
    const [{ email, passkey: own }, { passkey }] = [await owner(server), await owner(server)];
    const browser = await beginSignIn(server, email);
    for (const stranger of [passkey, openAuthenticator()]) {
      const credential = stranger.use(await challenge(browser));
      expect(await browser.post('/auth/second-step', { credential })).toSay('401 passkey_refused');
    }
    const unverified = own.use(await challenge(browser), { verified: false });
    expect(await browser.post('/auth/second-step', { credential: unverified })).toSay('401 passkey_refused');
    const credential = own.use(await challenge(browser));
    expect(await browser.post('/auth/second-step', { credential })).toSay('200');
  });

  test('satisfies a step-up of an account with a second step, whose password does not', async () => {
    const server = await openTestServer(engine);
    const { browser, passkey } = await owner(server);
    await letPass(server, browser, minutes(16));
    const refused = await browser.get('/account/export');
    expect([statusAndCode(refused), refused.body.ways]).toEqual(['401 step_up_required', ['authenticator', 'passkey']]);
    const options = (await browser.post('/auth/step-up/challenge')).body;
    expect(await browser.post('/auth/step-up', { credential: passkey.use(options) })).toSay('200');
    expect(await browser.get('/account/export')).toSay('200');
  });
});
