import { describe, expect, test } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { addAuthenticator } from '../../testing/authenticator.ts';
import { statusAndCode } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { addPasskey, signInWith } from '../../testing/passkey-authenticator.ts';
import {
  addComputer,
  password,
  proveAddress,
  register,
  registerProven,
  resetByEmail,
  signedIn,
} from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const newPassword = 'stones in the river';

interface Link {
  readonly email: string;
  readonly hash: string;
}

/** The reset links emailed to an address, newest first. */
const linksTo = async (server: TestServer, email: string): Promise<string[]> =>
  (await server.mails(email)).flatMap(({ text }) => /https:\/\/\S+reset-password\/\S+hash=\S+/.exec(text)?.[0] ?? []);

/** Requests a reset link and reads it from the email: the link and its parts. */
async function recover(
  server: TestServer,
  email: string,
  { headers = {}, ...more }: { headers?: Record<string, string>; db_type?: string } = {},
): Promise<Link & { href: string }> {
  const before = (await linksTo(server, email)).length;
  const response = await server.client().post('/auth/recovery', { email, locale: 'en', ...more }, headers);
  expect(response).toMatchObject({ status: 202, body: {} });
  for (let time = 0; time < 6000 && (await linksTo(server, email)).length === before; time += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [href = ''] = await linksTo(server, email);
  const { searchParams } = new URL(href);
  return { href, email: searchParams.get('email') ?? '', hash: searchParams.get('hash') ?? '' };
}

/** What clients do with a reset link. */
const linksOf = (server: TestServer) => ({
  reset: ({ email, hash }: Link, word = newPassword) =>
    server.client().post('/auth/reset-password', { email, hash, password: word, password_repeat: word }),
  check: async ({ email, hash }: Link) =>
    statusAndCode(await server.client().post('/auth/reset-password/check', { email, hash })),
});

describe.each(engines)('resets that meet, on %s,', async (engine) => {
  const server = await openTestServer(engine);
  const { reset, check } = linksOf(server);

  test('a link works once, even for twenty parallel requests', async () => {
    const { email } = await register(server);
    const link = await recover(server, email);
    const responses = await Promise.all(Array.from({ length: 20 }, async () => statusAndCode(await reset(link))));
    expect(responses.filter((response) => response === '204')).toHaveLength(1);
    expect(responses.filter((response) => response === '410 reset_link_invalid')).toHaveLength(19);
    expect(await check(link)).toBe('410 reset_link_invalid');
    const used = async ({ email: address, hash }: Link) =>
      (await server.client().post('/auth/reset-password/check', { email: address, hash })).body.used;
    expect(await used(link)).toBe(true);
    expect(await used({ ...link, email: 'stranger@mail.example' })).toBeUndefined();
  });

  test('only one of several links works when all are used in parallel', async () => {
    const { email } = await register(server);
    const links: Link[] = [];
    for (let time = 0; time < 3; time += 1) links.push(await recover(server, email));
    const responses = await Promise.all([...links, ...links].map(async (link) => statusAndCode(await reset(link))));
    expect(responses.sort()).toEqual(['204', ...Array(5).fill('410 reset_link_invalid')]);
  });

  test('parallel sign-ins succeed before the reset or are refused after it, without errors', async () => {
    const { email } = await register(server);
    for (let round = 0; round < 3; round += 1) {
      const link = await recover(server, email);
      const word = `${newPassword} ${round}`;
      const former = round ? `${newPassword} ${round - 1}` : password;
      // Fewer than the five failures of a lockout, since all may arrive after the reset.
      const browsers = Array.from({ length: 4 }, async () => server.client());
      const signingIn = Promise.all(
        browsers.map(async (browser) =>
          statusAndCode(await (await browser).post('/auth/login', { email, password: former })),
        ),
      );
      expect(await reset(link, word)).toSay('204');
      const known = ['200', '401 incorrect_login_or_password', '429 too_many_attempts', '503 try_again_later'];
      for (const response of await signingIn) expect(known).toContain(response);
      // The reset ended the sessions that started before it.
      for (const browser of await Promise.all(browsers)) expect((await browser.post('/auth/refresh')).status).toBe(401);
      expect(await server.client().post('/auth/login', { email, password: word })).toSay('200');
    }
  });
});

describe.each(usualEngines)('recovering a password, on %s', async (engine) => {
  const server = await openTestServer(engine);
  const { reset, check } = linksOf(server);

  test('the emailed link sets a new password, ends every session, and notifies the owner', async () => {
    const { email, browser } = await register(server, { locale: 'de' });
    const link = await recover(server, email);
    expect(link.href).toMatch(/^https:\/\/door\.example\/de\/reset-password\/\?email=.+&hash=[\w-]{43}$/);
    expect(await check(link)).toBe('204');
    expect(await check(link)).toBe('204');
    expect((await reset(link)).status).toBe(204);

    expect(await browser.post('/auth/refresh')).toSay('401 session_ended password_changed');
    const other = server.client();
    expect(await other.post('/auth/login', { email, password })).toSay('401 incorrect_login_or_password');
    expect(await other.post('/auth/login', { email, password: newPassword })).toSay('200');
    const notice = await server.mailTo(email, /geändert/);
    expect(notice.html).toContain('lang="de"');
  });

  test('each link works for an hour from sending, and using one voids the others', async () => {
    const { email } = await register(server);
    const first = await recover(server, email);
    server.forward(minutes(30));
    const second = await recover(server, email);
    server.forward(minutes(31));
    expect(await check(first)).toBe('410 reset_link_invalid');
    expect(await check(second)).toBe('204');
    const third = await recover(server, email);
    expect(await reset(second)).toSay('204');
    expect(await reset(third)).toSay('410 reset_link_invalid');
  });

  test.each([
    ['another account’s address', async (link: Link) => ({ ...link, email: (await register(server)).email })],
    ['a missing address', async (link: Link) => ({ ...link, email: '' })],
    ['a changed secret', async (link: Link) => ({ ...link, hash: `${link.hash.slice(0, -2)}xx` })],
    ['a missing secret', async (link: Link) => ({ ...link, hash: '' })],
    ['a list of secrets', async (link: Link) => ({ ...link, hash: [link.hash] as unknown as string })],
  ])('%s is refused, and the link still works', async (_name, change) => {
    const { email } = await register(server);
    const link = await recover(server, email);
    expect(await reset(await change(link))).toSay('410 reset_link_invalid');
    expect(await reset(link)).toSay('204');
  });

  test.each([
    ['12345', '422 validation_failed password password_too_short'],
    ['123456', '422 validation_failed password password_common'],
    ['Anna Berg', '422 validation_failed password password_common'],
  ])('the new password %j is refused, and the link still works', async (word, expected) => {
    const { email } = await register(server);
    const link = await recover(server, email);
    expect(await reset(link, word)).toSay(expected);
    expect(await check(link)).toBe('204');
  });

  test('a reset ends the lockout of an address', async () => {
    const { email } = await register(server);
    const stranger = server.client();
    for (let time = 0; time < 6; time += 1) await stranger.post('/auth/login', { email, password: 'wrong one' });
    expect(await stranger.post('/auth/login', { email, password })).toSay('429 too_many_attempts');
    await reset(await recover(server, email));
    expect(await stranger.post('/auth/login', { email, password: newPassword })).toSay('200');
  });

  test('a reset makes its browser the only known device, so that strangers cannot lock out the owner', async () => {
    const { email, browser: former } = await register(server);
    const link = await recover(server, email);
    const owner = server.client();
    const word = { password: newPassword, password_repeat: newPassword };
    expect(await owner.post('/auth/reset-password', { ...link, ...word })).toSay('204');
    const stranger = server.client();
    for (let time = 0; time < 6; time += 1) await stranger.post('/auth/login', { email, password: 'wrong one' });
    for (const browser of [stranger, former])
      expect(await browser.post('/auth/login', { email, password: newPassword })).toSay('429 too_many_attempts');
    expect(await owner.post('/auth/login', { email, password: newPassword })).toSay('200');
  });

  test('a request does not change the account; its db_type is stored once its link is used', async () => {
    const { email, browser } = await register(server, { db_type: 'mine' });
    const { store } = server;
    const kept = () => store.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirstOrThrow();
    await proveAddress(server, { email, browser });
    const before = await kept();
    await server.client().post('/auth/recovery', { email, locale: 'ja', db_type: 'stranger’s' });
    expect(await kept()).toEqual(before);
    const link = await recover(server, email, { db_type: 'owner’s' });
    await reset(link);
    expect((await kept()).db_type).toBe('owner’s');
  });

  test('a reset removes details that a stranger entered with the address, and the email says so', async () => {
    const entered = { name: 'Mallory Squat', organization: 'Squat', inn: '7707083893', db_type: 'squat' };
    const { email, browser } = await register(server, { ...entered, consent_offers: true });
    await browser.put('/additionally/way', { place: '/account/' });
    await browser.send('PATCH', '/account', { body: { mail_new_device: false } });
    await reset(await recover(server, email));
    const owner = server.client();
    await owner.post('/auth/login', { email, password: newPassword });
    const { body } = await owner.get('/account');
    expect(body).toMatchObject({ name: '', phone: '', phone_confirmed: false, organization: null, inn: null });
    expect(body.mail_new_device).toBe(true);
    expect(body.consents).toMatchObject([{ kind: 'personal_data' }, { kind: 'offers', given: false }]);
    expect((await owner.get('/additionally/way')).body).toEqual({ last_place: '/computers/add/' });
    expect((await owner.get('/account/notifications')).body).toEqual({ notifications: [], unread: 0 });
    const notice = await server.mailTo(email, /was changed/);
    expect(notice.text).toContain('we removed the name');
    expect(notice.text).not.toContain('Mallory');
  });

  test('a reset keeps the computers of an owner who resets on a known device', async () => {
    const { browser, email } = await register(server);
    const { computer: own } = await addComputer(server, browser);
    await resetByEmail(server, { email, word: newPassword, browser });
    expect(await own.post('/computers/heartbeat')).toSay('204');
  });

  test('a reset keeps the details if the owner had proved the address', async () => {
    const owner = await registerProven(server, { name: 'Anna Berg', organization: 'Berg' });
    await reset(await recover(server, owner.email));
    const browser = server.client();
    await browser.post('/auth/login', { email: owner.email, password: newPassword });
    expect((await browser.get('/account')).body).toMatchObject({ name: 'Anna Berg', organization: 'Berg' });
    expect((await server.mailTo(owner.email, /was changed/)).text).not.toContain('removed');
  });

  test('known and unknown addresses get the same responses, even above the limit', async () => {
    const { email } = await register(server);
    for (const address of [email, `unknown-${email}`]) {
      const send = async () => server.client().post('/auth/recovery', { email: address, locale: 'en' });
      for (let time = 0; time < 5; time += 1) expect(await send()).toSay('202');
    }
    await expect.poll(async () => (await linksTo(server, email)).length).toBe(3);
    expect(await server.mails(`unknown-${email}`)).toEqual([]);
    server.forward(hours(1));
    await recover(server, email);
  });

  test('a stranger’s requests do not use up the limit of the owner’s known device', async () => {
    const { email, browser } = await register(server);
    const asks = async (ip: string) => server.client({ ip }).post('/auth/recovery', { email, locale: 'en' });
    const sent = async () => (await linksTo(server, email)).length;
    for (let time = 0; time < 5; time += 1) expect(await asks('198.51.100.7')).toSay('202');
    await expect.poll(sent).toBe(3);
    expect(await asks('203.0.113.9')).toSay('202');
    await expect.poll(sent).toBe(4);
    for (let host = 1; host <= 10; host += 1) expect(await asks(`192.0.2.${host}`)).toSay('202');
    await expect.poll(sent).toBe(12);
    expect(await browser.post('/auth/recovery', { email, locale: 'en' })).toSay('202');
    await expect.poll(sent).toBe(13);
  });

  test('request headers cannot change the origin of a link', async () => {
    const { email } = await register(server);
    const link = await recover(server, email, {
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
      },
    });
    expect(new URL(link.href).origin).toBe('https://door.example');
  });

  test('emails go to the registered address, not to a look-alike', async () => {
    const { email } = await register(server, { email: 'mike@example.com' });
    const alike = 'mi\u212ae@example.com';
    await server.client().post('/auth/recovery', { email: alike, locale: 'en' });
    const mail = await server.mailTo(email, /new password/i);
    expect(mail.to).toBe('mike@example.com');
    expect(await server.mails(alike)).toEqual([]);
  });

  test('the database does not contain the secret once the email is sent', async () => {
    const { email } = await register(server);
    const { hash } = await recover(server, email);
    const { store } = server;
    for (let time = 0; time < 100; time += 1) {
      const rows = [
        await store.selectFrom('outbox').selectAll().execute(),
        await store.selectFrom('reset_links').selectAll().execute(),
      ];
      if (!JSON.stringify(rows).includes(hash)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('the database still contains the secret');
  });

  test('one client cannot trigger emails to many addresses', { tags: 'full' }, async () => {
    const stranger = server.client({ ip: '2001:db8:7:7::7' });
    const ask = (address: string) => stranger.post('/auth/recovery', { email: address, locale: 'en' });
    for (let time = 0; time < 30; time += 1) expect(await ask(`nobody-${time}@example.org`)).toSay('202');
    expect(await ask('nobody@example.org')).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests', minutes: 60 },
    });
  });
});

async function ownerOf(server: TestServer) {
  const owner = await registerProven(server);
  server.forward(minutes(1));
  return owner;
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
    expect(await signInWith(accomplice, passkey)).toSay('200');
    const another = await addPasskey(accomplice);
    server.forward(hours(71));
    await resetByEmail(server, { email, word: next });
    for (const added of [passkey, another])
      expect(await signInWith(server.client(), added)).toSay('401 passkey_unknown');
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
    for (const sent of [next, third]) await resetByEmail(server, { email, word: sent });
    expect(await signInWith(server.client(), passkey)).toSay('200');
    const browser = server.client();
    expect(await browser.post('/auth/login', { email, password: third })).toSay('401 second_step_required');
    expect(await browser.post('/auth/second-step', { code: app.nextCode() })).toSay('200');
  });

  test('keeps those of a device that was new three days ago, or more than thirty days before', async () => {
    const { browser: owner, email } = await ownerOf(server);
    const laptop = await signedIn(server, email);
    server.forward(days(31));
    const login = { email, password };
    expect(await laptop.post('/auth/login', login)).toSay('200');
    const phone = await signedIn(server, email);
    const early = await addPasskey(phone);
    server.forward(hours(73));
    expect(await laptop.post('/auth/login', login)).toSay('200');
    const late = await addPasskey(laptop);
    await resetByEmail(server, { email, word: next });
    // The first reset forgets the devices; the second one trusts what it left.
    await resetByEmail(server, { email, word: third });
    for (const passkey of [early, late]) expect(await signInWith(server.client(), passkey)).toSay('200');
    expect(await owner.post('/auth/refresh')).toSay(/^401/);
  });
});
