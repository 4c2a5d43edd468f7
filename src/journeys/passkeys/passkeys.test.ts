import { describe, expect, it } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { type Algorithm, openAuthenticator } from '../../testing/passkey-authenticator.ts';
import { addPasskey, creationOptions, signInOptions, signInWith } from '../../testing/passkeys.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

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
