import { describe, expect, test } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { addAuthenticator } from '../../testing/authenticator.ts';
import { statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { addPasskey, signInWith } from '../../testing/passkeys.ts';
import { password, proveAddress, register, signedIn } from '../../testing/people.ts';
import { secretsIn } from '../../testing/secrets-in-mail.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

async function ownerOf(server: TestServer) {
  const owner = await register(server);
  await proveAddress(server, owner);
  server.forward(minutes(1));
  return owner;
}

/** Sets this password with an emailed link, in a new browser. */
async function reset(server: TestServer, email: string, next: string): Promise<void> {
  const browser = server.client();
  expect(statusAndCode(await browser.post('/auth/recovery', { email, locale: 'en' }))).toBe('202');
  const hash = await secretsIn(server, email).resetLink();
  const set = { email, hash, password: next, password_repeat: next };
  expect(statusAndCode(await browser.post('/auth/reset-password', set))).toBe('204');
}

const [next, third] = ['stones in the river', 'wind over high corn'];

describe.each(usualEngines)('a reset by email, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('removes a passkey and a second step that a thief with the password just added, and says so', async () => {
    const { email } = await ownerOf(server);
    const thief = await signedIn(server, email);
    const passkey = await addPasskey(thief);
    await addAuthenticator(server, thief);
    // A passkey of this passkey’s own session, on another new device.
    const accomplice = server.client();
    expect(statusAndCode(await signInWith(accomplice, passkey))).toBe('200');
    const another = await addPasskey(accomplice);
    server.forward(hours(71));
    await reset(server, email, next);
    for (const added of [passkey, another])
      expect(statusAndCode(await signInWith(server.client(), added))).toBe('401 passkey_unknown');
    const owner = await signedIn(server, email, next);
    expect((await owner.get('/account/security')).body).toMatchObject({
      ...{ passkeys: 0, authenticator: false, recovery_codes_left: 0 },
    });
    expect((await server.mailTo(email, /second step for your .* was changed/, 2)).text).toContain('was removed');
    await server.mailTo(email, /passkey was removed/, 2);
  });

  test('keeps those that the owner added on a known device, also after another reset', async () => {
    const { browser: owner, email } = await ownerOf(server);
    const passkey = await addPasskey(owner);
    const app = await addAuthenticator(server, owner);
    for (const sent of [next, third]) await reset(server, email, sent);
    expect(statusAndCode(await signInWith(server.client(), passkey))).toBe('200');
    const browser = server.client();
    expect(statusAndCode(await browser.post('/auth/login', { email, password: third }))).toBe(
      '401 second_step_required',
    );
    expect(statusAndCode(await browser.post('/auth/second-step', { code: app.nextCode() }))).toBe('200');
  });

  test('keeps those of a device that was new three days ago, or more than thirty days before', async () => {
    const { browser: owner, email } = await ownerOf(server);
    const laptop = await signedIn(server, email);
    server.forward(days(31));
    const login = { email, password };
    expect(statusAndCode(await laptop.post('/auth/login', login))).toBe('200');
    const phone = await signedIn(server, email);
    const early = await addPasskey(phone);
    server.forward(hours(73));
    expect(statusAndCode(await laptop.post('/auth/login', login))).toBe('200');
    const late = await addPasskey(laptop);
    await reset(server, email, next);
    // The first reset forgets the devices; the second one trusts what it left.
    await reset(server, email, third);
    for (const passkey of [early, late]) expect(statusAndCode(await signInWith(server.client(), passkey))).toBe('200');
    expect(statusAndCode(await owner.post('/auth/refresh'))).toMatch(/^401/);
  });
});
