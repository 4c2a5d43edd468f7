import { describe, expect, test } from 'vitest';
import { days, hours, minutes } from '../../../contract/units.ts';
import { suppressAddress } from '../../../store/emails/suppression-list.ts';
import { type Client, statusAndCode } from '../../../testing/client.ts';
import { engines, usualEngines } from '../../../testing/databases/databases.ts';
import { secretsIn } from '../../../testing/outbox.ts';
import { change } from '../../../testing/passkey-authenticator.ts';
import { letPass, password, proveAddress, register, registerProven } from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `moved${addresses}@example.com`;
};

const ask = (browser: Client, email: string, secret = password) =>
  browser.post('/account/email', { email, password: secret });

const linkTo = (server: TestServer, email: string) => secretsIn(server, email).changeLink();

/** A person whose address has changed, and the secret that undoes that. */
async function moved(server: TestServer) {
  const { browser, email } = await register(server);
  const next = newAddress();
  await ask(browser, next);
  await server.client().post('/account/email/change', { hash: await linkTo(server, next) });
  return { browser, email, next, undo: await secretsIn(server, email).undoLink() };
}

describe.each(usualEngines)('a new email address, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('is confirmed in the browser that requested it, and then works for sign-in', async () => {
    const { browser, email } = await register(server);
    const next = newAddress();
    expect(await ask(browser, next)).toSay('202');
    expect((await browser.get('/account')).body.email).toBe(email);
    const hash = await linkTo(server, next);
    expect(await browser.post('/account/email/change', { hash })).toMatchObject({ status: 200, body: { email: next } });
    expect((await browser.get('/account')).body).toMatchObject({ email: next, email_confirmed: true });
    expect(await server.client().post('/auth/login', { email: next, password })).toSay('200');
    expect(await server.client().post('/auth/login', { email, password })).toSay(/^401/);
    // The page can tell from it that the response to the first request was lost.
    const late = await server.client().post('/account/email/change', { hash });
    expect(late).toMatchObject({ status: 410, body: { code: 'confirmation_link_expired', used: true } });
  });

  test('is confirmed by either link of two requests, until one is used', async () => {
    const { browser } = await register(server);
    const [next, other] = [newAddress(), newAddress()];
    await ask(browser, other);
    const toOther = await linkTo(server, other);
    await ask(browser, next);
    const first = await linkTo(server, next);
    await ask(browser, next);
    await server.mailTo(next, /Confirm your new email/, 2);
    const second = await linkTo(server, next);
    expect(second).not.toBe(first);
    const use = async (hash: string) => statusAndCode(await server.client().post('/account/email/change', { hash }));
    expect([await use(toOther), await use(first)]).toEqual(['410 confirmation_link_expired', '200']);
    expect(await use(second)).toBe('410 confirmation_link_expired');
  });

  test('needs the password, and is refused if it is taken or cannot receive email', async () => {
    const { browser } = await register(server);
    const { email: taken } = await register(server);
    expect(await ask(browser, newAddress(), 'not it at all')).toSay('401 incorrect_password');
    expect(await ask(browser, taken)).toSay('409 account_exists');
    expect(await ask(browser, 'anna@nobody.invalid')).toSay('422 email_cannot_be_used');
    expect(await ask(browser, 'anna')).toSay('422 validation_failed email email_invalid');
  });

  test('can be requested five times an hour; only the newest link works, for a day', async () => {
    const { browser } = await register(server);
    const [first, second] = [newAddress(), newAddress()];
    await ask(browser, first);
    await ask(browser, second);
    const responses = [await linkTo(server, first), 'made up', ''].map((hash) =>
      server.client().post('/account/email/change', { hash }),
    );
    expect((await Promise.all(responses)).map(statusAndCode)).toEqual(Array(3).fill('410 confirmation_link_expired'));
    for (let time = 3; time <= 5; time += 1) expect(await ask(browser, newAddress())).toSay('202');
    expect(await ask(browser, newAddress())).toSay(/^429 too_many_mails/);
    server.forward(hours(1) + minutes(1));
    const last = newAddress();
    await browser.post('/auth/refresh');
    expect(await ask(browser, last)).toSay('202');
    const hash = await linkTo(server, last);
    server.forward(hours(24) + minutes(1));
    expect(await server.client().post('/account/email/change', { hash })).toSay('410 confirmation_link_expired');
  });

  test('is shown while it waits for its link, and can be canceled until then', async () => {
    const { browser } = await register(server);
    const pending = async () => (await browser.get('/account/security')).body.email_pending;
    expect(await pending()).toBeNull();
    const wished = newAddress();
    await ask(browser, wished);
    const hash = await linkTo(server, wished);
    expect(await pending()).toBe(wished);
    expect(await change(browser, 'DELETE', '/account/email')).toSay('204');
    expect(await pending()).toBeNull();
    expect(await browser.post('/account/email/change', { hash })).toSay('410 confirmation_link_expired');
  });

  test('can be confirmed in any browser, but only the owner’s session proves that the owner reads it', async () => {
    const { browser } = await register(server);
    const next = newAddress();
    await ask(browser, next);
    const hash = await linkTo(server, next);
    expect(await server.client().post('/account/email/change', { hash })).toSay('200');
    expect((await browser.get('/account')).body).toMatchObject({ email: next, email_confirmed: false });
  });

  test('can be undone even if the thief registered the old one, unless that account proved it', async () => {
    for (const isProven of [false, true]) {
      const { email, undo } = await moved(server);
      const own = { password: 'a thief’s own', password_repeat: 'a thief’s own' };
      const another = await register(server, { email: email.replace('anna', 'ANNA'), ...own });
      if (isProven) await proveAddress(server, another);
      // The person who opens the link has an account there, which must not disappear.
      else expect(await another.browser.post('/account/email/undo', { hash: undo })).toSay('409 account_exists');
      const response = await server.client().post('/account/email/undo', { hash: undo });
      expect(response).toSay(isProven ? '409 account_exists' : '200');
      if (isProven) continue;
      expect(await another.browser.get('/account')).toSay('401 not_signed_in');
      for (const secret of ['a thief’s own', password])
        expect(await server.client().post('/auth/login', { email, password: secret })).toSay(/^401/);
      const word = { password: 'the owner’s own', password_repeat: 'the owner’s own' };
      const reset = { email, hash: response.body.reset, ...word };
      expect(await server.client().post('/auth/reset-password', reset)).toSay('204');
    }
  });

  test('gets the emails about later events: those that wait for the old address are not extended', async () => {
    const { browser, email } = await registerProven(server);
    const next = newAddress();
    const signInAt = async (ip: string, address: string) =>
      expect((await server.client({ ip }).post('/auth/login', { email: address, password })).status).toBe(200);
    // The second email about new devices waits for an hour.
    await signInAt('203.0.113.11', email);
    await signInAt('203.0.113.12', email);
    await ask(browser, next);
    await browser.post('/account/email/change', { hash: await linkTo(server, next) });
    await signInAt('203.0.113.13', next);
    server.forward(hours(2));
    expect((await server.mailTo(next, /New sign-in/)).text).toContain('203.0.113.13');
    const old = await server.mailTo(email, /New sign-in/, 2);
    expect(old.text).toContain('203.0.113.12');
    expect(old.text).not.toContain('203.0.113.13');
  });

  test('gets three links an hour and five a day, from all accounts together: it may belong to a stranger', async () => {
    const target = newAddress();
    const askFromNewAccount = async () => statusAndCode(await ask((await register(server)).browser, target));
    const first = [await askFromNewAccount(), await askFromNewAccount(), await askFromNewAccount()];
    expect([...first, await askFromNewAccount()]).toEqual(['202', '202', '202', '429 too_many_mails']);
    server.forward(hours(1) + minutes(1));
    const later = [await askFromNewAccount(), await askFromNewAccount(), await askFromNewAccount()];
    expect(later).toEqual(['202', '202', '429 too_many_mails']);
  });

  test('reveals who has an account no more often than it sends emails', async () => {
    const { browser } = await register(server);
    const { email: taken } = await register(server);
    for (let time = 1; time <= 5; time += 1) expect(await ask(browser, taken)).toSay('409 account_exists');
    expect(await ask(browser, taken)).toSay(/^429 too_many_mails/);
  });

  test('can no longer be undone after three days', async () => {
    const { undo } = await moved(server);
    server.forward(hours(72) + minutes(1));
    expect(await server.client().post('/account/email/undo', { hash: undo })).toSay('410 confirmation_link_expired');
  });
});

describe.each(engines)('a new email address of two accounts, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('is assigned once to one account, even if parallel clicks of two accounts confirm it', async () => {
    const [one, other] = [await register(server), await register(server)];
    const next = newAddress();
    for (const { browser } of [one, other]) await ask(browser, next);
    const mails = await Promise.all([1, 2].map((nth) => server.mailTo(next, /Confirm your new email/, nth)));
    const hashes = mails.map(({ text }) => /&hash=([\w.-]+)/.exec(text)?.[1]);
    const clicks = [...hashes, ...hashes, ...hashes].map((hash) =>
      server.client().post('/account/email/change', { hash }),
    );
    const responses = (await Promise.all(clicks)).map(({ status }) => status);
    expect(responses.filter((status) => status === 200).length).toBe(1);
    expect(responses.filter((status) => status >= 500)).toEqual([]);
  });
});

const resend = (browser: Client) => browser.post('/account/email/resend', {});

const confirmations = async (server: TestServer, email: string) =>
  (await server.mails(email)).filter(({ subject }) => /Confirm your email/.test(subject));

describe.each(usualEngines)('the link that confirms an address, sent again, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('confirms the address in the browser of its owner, in the language of the account', async () => {
    const { browser, email } = await register(server, { locale: 'de' });
    expect(await resend(browser)).toSay('202');
    const { text } = await server.mailTo(email, /E-Mail-Adresse/);
    const [, hash] = /\/de\/account\/security\/\?hash=([\w-]+)/.exec(text) ?? [];
    const stranger = await register(server);
    expect(await stranger.browser.post('/account/email/confirm', { hash })).toSay('410 confirmation_link_expired');
    expect(await browser.post('/account/email/confirm', { hash })).toSay('204');
    expect((await browser.get('/account')).body.email_confirmed).toBe(true);
  });

  test('is sent three times an hour and five times a day: the address may belong to a stranger', async () => {
    const { browser, email } = await register(server);
    const responses = await Promise.all(Array.from({ length: 6 }, () => resend(browser)));
    expect(responses.map(statusAndCode).sort()).toEqual([
      ...Array(3).fill('202'),
      ...Array(3).fill('429 too_many_mails'),
    ]);
    const refused = responses.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3000);
    await expect.poll(async () => (await confirmations(server, email)).length).toBe(3);
    await letPass(server, browser, hours(1) + minutes(1));
    const later = [await resend(browser), await resend(browser), await resend(browser)];
    expect(later.map(statusAndCode)).toEqual(['202', '202', '429 too_many_mails']);
    await letPass(server, browser, days(1) + minutes(1));
    expect(await resend(browser)).toSay('202');
  });

  test('is not sent to a confirmed address, and the response does not differ', async () => {
    const person = await register(server);
    const unproven = await register(server);
    await proveAddress(server, person);
    const { email } = unproven;
    await suppressAddress(server.store, { email, reason: 'complaint', told_by: 'ses', detail: '', at: server.now() });
    const responses = [await resend(person.browser), await resend(unproven.browser)];
    expect(responses.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([202, {}]));
    for (let time = 0; time < 5; time += 1) expect(await resend(person.browser)).toSay('202');
    expect(await confirmations(server, person.email)).toEqual([]);
  });
});
