import { describe, expect, test } from 'vitest';
import { days, hours } from '../../../contract/durations.ts';
import { findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { emailKey } from '../../../store/accounts/email-key.ts';
import { type Client, said } from '../../../testing/client.ts';
import { engines } from '../../../testing/databases/databases.ts';
import { type House, openHouse } from '../../../testing/house.ts';
import { password, proveAddress, register } from '../../../testing/people.ts';
import { secretsIn } from '../../../testing/secrets-in-mail.ts';

const next = 'stones in the river';

/** Requests another address in a browser that is signed in, and confirms it there or elsewhere. */
async function moveTo(house: House, browser: Client, { to, where = browser }: { to: string; where?: Client }) {
  expect(said(await browser.post('/account/email', { email: to, password }))).toBe('202');
  const hash = await secretsIn(house, to).changeLink();
  return where.post('/account/email/change', { hash });
}

const undo = async (house: House, email: string) =>
  house.client().post('/account/email/undo', { hash: await secretsIn(house, email).undoLink() });

async function addComputer(house: House, browser: Client): Promise<Client> {
  const { code } = (await browser.post('/computers/enrolments', { password })).body;
  const computer = house.client();
  const enrolled = await computer.post('/computers/enrol', { code, name: 'Office', platform: 'linux' });
  computer.token = enrolled.body.device_token;
  return computer;
}

const beats = async (computer: Client) => (await computer.post('/computers/heartbeat', { platform: 'linux' })).status;

async function ownerOf(house: House) {
  const owner = await register(house);
  await proveAddress(house, owner);
  return owner;
}

const remove = (browser: Client) =>
  browser.send('DELETE', '/account', {
    body: { password },
    headers: { 'x-csrf-token': browser.cookies.get('csrf_token') ?? '' },
  });

describe.each(engines)('whoever steals an account by its address, on %s,', (engine) => {
  const opened = openHouse(engine);

  test('does not end the owner’s 72 hours with a further change that they undo themselves', async () => {
    const house = await opened;
    const { browser: thief, email } = await ownerOf(house);
    const [second, third] = [`second-${email}`, `third-${email}`];
    await moveTo(house, thief, { to: second });
    house.forward(hours(1));
    await thief.post('/auth/refresh');
    await moveTo(house, thief, { to: third });
    expect(said(await undo(house, second))).toBe('200');
    house.forward(hours(70));
    expect(await undo(house, email)).toMatchObject({ status: 200, body: { email } });
  });

  test('does not end them by confirming the stolen address once more', async () => {
    const house = await opened;
    const { browser: thief, email } = await ownerOf(house);
    const second = `second-${email}`;
    await moveTo(house, thief, { to: second });
    // Emails to the address bounced, so that it may be confirmed again.
    const bounced = { email: second, reason: 'no_such_address', told_by: 'dsn', detail: '', at: house.now() } as const;
    await house.store
      .insertInto('unreachable_addresses')
      .values({ email_key: emailKey(second), ...bounced })
      .execute();
    expect(said(await thief.post('/account/email', { email: second, password }))).toBe('202');
    const { text } = await house.mailTo(second, /Confirm your new email/, 2);
    const hash = /hash=([\w-]+)/.exec(text)?.[1];
    expect(said(await thief.post('/account/email/change', { hash }))).toBe('200');
    expect(said(await undo(house, email))).toBe('200');
  });

  test('does not end them by deleting the account, even where deletions take effect immediately', async () => {
    const house = await openHouse(engine, { DELETION_GRACE_DAYS: '0' });
    const { browser: thief, email } = await ownerOf(house);
    await moveTo(house, thief, { to: `second-${email}` });
    expect(said(await remove(thief))).toBe('204');
    house.forward(hours(71));
    expect(await undo(house, email)).toMatchObject({ status: 200, body: { email } });
    house.forward(days(3));
    expect(await findAccountByEmail(house.store, email)).toMatchObject({ delete_at: null });
  });

  test('is out once the owner undoes it: password, sessions, devices and computers added since', async () => {
    const house = await opened;
    const { browser: thief, email } = await ownerOf(house);
    const own = await addComputer(house, thief);
    house.forward(hours(1));
    await thief.post('/auth/refresh');
    await moveTo(house, thief, { to: `second-${email}` });
    const theirs = await addComputer(house, thief);
    const undone = await undo(house, email);
    expect(undone.body).toEqual({ email, reset: expect.any(String), removed: 1 });
    expect([await beats(own), await beats(theirs)]).toEqual([204, 401]);
    expect(said(await thief.post('/auth/refresh'))).toBe('401 session_ended ended_elsewhere');
    for (const browser of [thief, house.client()])
      expect(said(await browser.post('/auth/login', { email, password }))).toBe('401 incorrect_login_or_password');

    const owner = house.client();
    const { reset: hash } = undone.body;
    const set = { email, hash, password: next, password_repeat: next };
    expect(said(await owner.post('/auth/reset-password', set))).toBe('204');
    expect(said(await owner.post('/auth/login', { email, password: next }))).toBe('200');
    expect((await owner.get('/account')).body).toMatchObject({ email, email_confirmed: true, name: 'Anna Berg' });
    const { text } = await house.mailTo(email, /changed back/);
    expect(text).toContain('/reset-password/');
    const { notifications } = (await owner.get('/account/notifications')).body;
    expect(notifications[0]).toMatchObject({ kind: 'computer_removed', name: 'Office' });
  });

  test('does not prove the address of a victim who presses the button: their recovery removes what was entered', async () => {
    const house = await opened;
    const { browser: thief } = await ownerOf(house);
    const victim = `victim-of-${house.now()}@example.com`;
    const pressed = await moveTo(house, thief, { to: victim, where: house.client() });
    expect(said(pressed)).toBe('200');
    expect((await thief.get('/account')).body).toMatchObject({ email: victim, email_confirmed: false });
    const theirs = await addComputer(house, thief);
    await house.client().post('/auth/recovery', { email: victim, locale: 'en' });
    const hash = await secretsIn(house, victim).resetLink();
    const owner = house.client();
    const set = { email: victim, hash, password: next, password_repeat: next };
    expect(said(await owner.post('/auth/reset-password', set))).toBe('204');
    expect(said(await owner.post('/auth/login', { email: victim, password: next }))).toBe('200');
    expect((await owner.get('/account')).body).toMatchObject({ name: '', phone: '', email_confirmed: true });
    expect(await beats(theirs)).toBe(401);
  });

  test('does not prove it by the session of another account in the browser that opens the link', async () => {
    const house = await opened;
    const { browser: thief } = await ownerOf(house);
    const { browser: bystander } = await ownerOf(house);
    const victim = `bystander-${house.now()}@example.com`;
    expect(said(await moveTo(house, thief, { to: victim, where: bystander }))).toBe('200');
    expect((await thief.get('/account')).body).toMatchObject({ email: victim, email_confirmed: false });
  });

  test('does not prove an address by undoing a change away from one that nobody had proven', async () => {
    const house = await opened;
    const { browser: stranger, email } = await register(house);
    await moveTo(house, stranger, { to: `second-${email}` });
    expect(said(await undo(house, email))).toBe('200');
    expect(await findAccountByEmail(house.store, email)).toMatchObject({ email_proven_at: null });
  });

  test('has an address changed no more once an operator locks the account', async () => {
    const house = await opened;
    const { browser: thief, email } = await ownerOf(house);
    const second = `second-${email}`;
    await thief.post('/account/email', { email: second, password });
    const hash = await secretsIn(house, second).changeLink();
    const { runCommand } = await import('../../../testing/command-line.ts');
    const { DATA_DIR, DATABASE_URL } = house.config;
    const settings = { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' };
    await runCommand(['accounts', 'lock', email], { folder: DATA_DIR, settings });
    expect(said(await thief.post('/account/email/change', { hash }))).toBe('410 confirmation_link_expired');
  });
});

describe.each(engines)('a deletion, on %s,', (engine) => {
  const opened = openHouse(engine);

  test('that is requested ten times at once sends one email', async () => {
    const house = await opened;
    const { browser, email } = await ownerOf(house);
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(browser.copy())));
    expect(answers.map(({ status }) => status)).toContain(204);
    await house.mailTo(email, /will be deleted/);
    house.forward(hours(1));
    expect((await house.mails(email)).filter(({ subject }) => /will be deleted/.test(subject)).length).toBe(1);
  });

  test('voids codes from before, also after a sign-in cancels it', async () => {
    const house = await opened;
    const { browser, email } = await ownerOf(house);
    const { code } = (await browser.post('/computers/enrolments', { password })).body;
    expect(said(await remove(browser))).toBe('204');
    expect(said(await house.client().post('/auth/login', { email, password }))).toBe('200');
    const computer = { code, name: 'Office', platform: 'linux' };
    expect(said(await house.client().post('/computers/enrol', computer))).toBe('410 enrolment_invalid');
  });
});
