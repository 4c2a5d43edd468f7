import { describe, expect, test } from 'vitest';
import { days, hours, minutes } from '../../../contract/units.ts';
import { emailKey, findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { addApplication, decideAs, openRequest } from '../../../testing/applications/application.ts';
import { addAuthenticator } from '../../../testing/authenticator.ts';
import type { Client } from '../../../testing/client.ts';
import { engines, usualEngines } from '../../../testing/databases/databases.ts';
import { secretsIn } from '../../../testing/outbox.ts';
import { addPasskey, change, signInWith } from '../../../testing/passkey-authenticator.ts';
import {
  addComputer,
  letPass,
  password,
  register,
  registerProven,
  resetByEmail,
  signedIn,
  signedInByCode,
} from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

const next = 'stones in the river';

/** Requests another address in a signed-in browser, and confirms it there or in another browser. */
async function moveTo(server: TestServer, browser: Client, { to, where = browser }: { to: string; where?: Client }) {
  expect(await browser.post('/account/email', { email: to, password })).toSay('202');
  const hash = await secretsIn(server, to).changeLink();
  return where.post('/account/email/change', { hash });
}

const undo = async (server: TestServer, email: string) =>
  server.client().post('/account/email/undo', { hash: await secretsIn(server, email).undoLink() });

/** What the page lists before its button, which must be what the undo then removes. */
const preview = async (server: TestServer, email: string) =>
  (await server.client().post('/account/email/undo/preview', { hash: await secretsIn(server, email).undoLink() })).body;

const beats = async (computer: Client) => (await computer.post('/computers/heartbeat', { platform: 'linux' })).status;

const remove = (browser: Client) => browser.send('DELETE', '/account', { body: { password } });

describe.each(usualEngines)('a thief who changes the address of an account, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('cannot end the owner’s 72 hours with a second change that the thief undoes', async () => {
    const { browser: thief, email } = await registerProven(server);
    const [second, third] = [`second-${email}`, `third-${email}`];
    await moveTo(server, thief, { to: second });
    await letPass(server, thief, hours(1));
    await moveTo(server, thief, { to: third });
    expect(await undo(server, second)).toSay('200');
    server.forward(hours(70));
    expect(await undo(server, email)).toMatchObject({ status: 200, body: { email } });
  });

  test('cannot end them by confirming the new address again', async () => {
    const { browser: thief, email } = await registerProven(server);
    const second = `second-${email}`;
    await moveTo(server, thief, { to: second });
    // Emails to the address bounced, so that it may be confirmed again.
    const bounced = { email: second, reason: 'no_such_address', told_by: 'dsn', detail: '', at: server.now() } as const;
    await server.store
      .insertInto('unreachable_addresses')
      .values({ email_key: emailKey(second), ...bounced })
      .execute();
    expect(await thief.post('/account/email', { email: second, password })).toSay('202');
    const { text } = await server.mailTo(second, /Confirm your new email/, 2);
    const hash = /hash=([\w-]+)/.exec(text)?.[1];
    expect(await thief.post('/account/email/change', { hash })).toSay('200');
    expect(await undo(server, email)).toSay('200');
  });

  test('cannot end them by deleting the account, even if deletions take effect immediately', async () => {
    const server = await openTestServer(engine, { DELETION_GRACE_DAYS: '0' });
    const { browser: thief, email } = await registerProven(server);
    await moveTo(server, thief, { to: `second-${email}` });
    // The thief registers the old address and deletes that account: the email with the undo link stays in the outbox.
    expect(await remove((await register(server, { email })).browser)).toSay('204');
    const emails = server.store.selectFrom('outbox').select('notice').where('recipient', '=', email);
    expect(await emails.where('notice', '=', 'email_changed').execute()).toHaveLength(1);
    expect(await remove(thief)).toSay('204');
    server.forward(hours(71));
    expect(await undo(server, email)).toMatchObject({ status: 200, body: { email } });
    server.forward(days(3));
    expect(await findAccountByEmail(server.store, email)).toMatchObject({ delete_at: null });
  });

  test('loses all access when the owner undoes the change: password, sessions, devices and new computers', async () => {
    const { browser: thief, email } = await registerProven(server);
    const { computer: own } = await addComputer(server, thief);
    await letPass(server, thief, hours(1));
    await moveTo(server, thief, { to: `second-${email}` });
    const { computer: theirs } = await addComputer(server, thief);
    await change(thief, 'PATCH', '/account', { mail_new_device: false });
    const removes = { computers: 1, passkeys: 0, authenticator: false, password: true };
    expect(await preview(server, email)).toEqual(removes);
    expect(await preview(server, email)).toEqual(removes);
    expect([await beats(own), await beats(theirs)]).toEqual([204, 204]);
    const undone = await undo(server, email);
    expect(undone.body).toEqual({ email, reset: expect.any(String), removed: 1 });
    expect([await beats(own), await beats(theirs)]).toEqual([204, 401]);
    expect(await thief.post('/auth/refresh')).toSay('401 session_ended email_undone');
    for (const browser of [thief, server.client()])
      expect(await browser.post('/auth/login', { email, password })).toSay('401 incorrect_login_or_password');

    const owner = server.client();
    const { reset: hash } = undone.body;
    const set = { email, hash, password: next, password_repeat: next };
    expect(await owner.post('/auth/reset-password', set)).toSay('204');
    expect(await owner.post('/auth/login', { email, password: next })).toSay('200');
    expect((await owner.get('/account')).body).toMatchObject({
      ...{ email, email_confirmed: true, name: 'Anna Berg', mail_new_device: true },
    });
    const { text } = await server.mailTo(email, /changed back/);
    expect(text).toContain('/reset-password/');
    const { notifications } = (await owner.get('/account/notifications')).body;
    expect(notifications[0]).toMatchObject({ kind: 'computer_removed', name: 'Office' });
  });

  test('keeps neither passkeys nor a second step added before it on new devices; the owner’s passkeys stay', async () => {
    const { browser: owner, email } = await registerProven(server);
    const visit = async (browser = server.client()) => {
      expect(await browser.post('/auth/login', { email, password })).toSay('200');
      return browser;
    };
    const laptop = await visit();
    const own = [await addPasskey(owner), await addPasskey(laptop)];
    server.forward(days(8));
    // The third session has no part in the change, and ends weeks before it.
    const third = await visit();
    const waiting = await addPasskey(third);
    await third.post('/auth/logout');
    server.forward(days(25));
    // In new sessions, but on devices that the account knows.
    for (const browser of [owner, laptop]) own.push(await addPasskey(await visit(browser)));
    const [thief, accomplice] = [await visit(), await visit()];
    const gone = [await addPasskey(thief), await addPasskey(accomplice), waiting] as const;
    await addAuthenticator(server, thief);
    server.forward(minutes(1));
    expect(await moveTo(server, thief, { to: `second-${email}`, where: accomplice })).toSay('200');
    // Another session makes a later change, which the same undo reverts.
    expect(await signInWith(thief, gone[0])).toSay('200');
    await moveTo(server, thief, { to: `third-${email}` });
    expect(await preview(server, email)).toMatchObject({ passkeys: gone.length, authenticator: true });
    const { reset: hash } = (await undo(server, email)).body;
    expect(await preview(server, email)).toMatchObject({ code: 'confirmation_link_expired' });
    for (const passkey of gone) expect(await signInWith(server.client(), passkey)).toSay('401 passkey_unknown');

    const set = { email, hash, password: next, password_repeat: next };
    expect(await owner.post('/auth/reset-password', set)).toSay('204');
    expect(await owner.post('/auth/login', { email, password: next })).toSay('200');
    for (const passkey of own) expect(await signInWith(server.client(), passkey)).toSay('200');
  });

  test.each([
    ['an undone change', registerProven, (server: TestServer, email: string) => undo(server, email)],
    ['a first proof of the address', register, signedInByCode],
  ])('lets no application in without the owner’s consent after %s', async (_what, begin, regain) => {
    const app = await addApplication(server, { first_party: false });
    const { browser: thief, email } = await begin(server);
    const { id } = await openRequest(server, { app, browser: thief });
    expect((await decideAs(server, { browser: thief, id, allow: true })).searchParams.get('code')).toBeTruthy();
    server.forward(minutes(1));
    if (begin === registerProven) await moveTo(server, thief, { to: `second-${email}` });
    await regain(server, email);
    const owner = await signedInByCode(server, email);
    expect((await owner.get('/account/apps')).body.apps).toEqual([]);
    expect((await openRequest(server, { app, browser: owner })).target.pathname).toBe('/connect/');
  });

  test('cannot prove a victim’s address, even if the victim confirms it: a recovery removes the thief’s data', async () => {
    const { browser: thief } = await registerProven(server);
    const victim = `victim-of-${server.now()}@example.com`;
    const pressed = await moveTo(server, thief, { to: victim, where: server.client() });
    expect(pressed).toSay('200');
    expect((await thief.get('/account')).body).toMatchObject({ email: victim, email_confirmed: false });
    const { computer: theirs } = await addComputer(server, thief);
    await resetByEmail(server, { email: victim, word: next });
    const owner = await signedIn(server, victim, next);
    expect((await owner.get('/account')).body).toMatchObject({ name: '', phone: '', email_confirmed: true });
    expect(await beats(theirs)).toBe(401);
  });

  test('cannot prove it with the session of another account in the browser that opens the link, nor an old copy', async () => {
    const { browser: thief } = await registerProven(server);
    const { browser: bystander } = await registerProven(server);
    const victim = `bystander-${server.now()}@example.com`;
    expect(await moveTo(server, thief, { to: victim, where: bystander })).toSay('200');
    expect((await thief.get('/account')).body).toMatchObject({ email: victim, email_confirmed: false });

    const oldCopy = thief.copy();
    for (let time = 0; time < 2; time += 1) await thief.post('/auth/refresh');
    const another = `old-copy-${server.now()}@example.com`;
    expect(await moveTo(server, thief, { to: another, where: oldCopy })).toSay('200');
    expect((await thief.get('/account')).body).toMatchObject({ email: another, email_confirmed: false });
  });

  test('cannot prove an unproven address by undoing a change away from it', async () => {
    const { browser: stranger, email } = await register(server);
    await moveTo(server, stranger, { to: `second-${email}` });
    expect(await undo(server, email)).toSay('200');
    expect(await findAccountByEmail(server.store, email)).toMatchObject({ email_proven_at: null });
  });
});

describe.each(engines)('a deletion, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('sends one email for ten parallel requests', async () => {
    const { browser, email } = await registerProven(server);
    const responses = await Promise.all(Array.from({ length: 10 }, () => remove(browser.copy())));
    expect(responses.map(({ status }) => status)).toContain(204);
    await server.mailTo(email, /will be deleted/);
    server.forward(hours(1));
    expect((await server.mails(email)).filter(({ subject }) => /will be deleted/.test(subject)).length).toBe(1);
  });
});
