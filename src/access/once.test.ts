import { describe, expect, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { addAuthenticator, authenticatorWith } from '../testing/authenticator.ts';
import type { Client, TestResponse } from '../testing/client.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { addPasskey, creationOptions, openAuthenticator, signInOptions } from '../testing/passkey-authenticator.ts';
import { password, proveAddress, register, registerOwner, registerProven } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

/** A step that works once, ready to be sent. */
interface ReadyStep {
  readonly browser: Client;
  readonly path: string;
  readonly body: unknown;
  readonly email: string;
}

interface SingleUseStep {
  readonly name: string;
  prepare(server: TestServer): Promise<ReadyStep>;
  /** Status of a success. */
  readonly status: number;
  /** What another browser gets for the same request; undefined if it needs the session of the first. */
  readonly elsewhere?: string;
  /** Sessions that the step begins. */
  readonly sessions?: 1;
}

const linkIn = (text: string, page: string): string =>
  new RegExp(`${page}/\\?[^\\s]*hash=([\\w.-]+)`).exec(text)?.[1] ?? '';

async function withAuthenticator(server: TestServer) {
  const { browser, email } = await register(server);
  const app = await addAuthenticator(server, browser);
  return { browser, email, app };
}

async function pending(server: TestServer, email: string): Promise<Client> {
  const browser = server.client();
  await browser.post('/auth/login', { email, password });
  return browser;
}

async function askForCode(server: TestServer, email: string): Promise<ReadyStep> {
  const browser = server.client();
  await browser.post('/auth/code', { email, locale: 'en' });
  const { text } = await server.mailTo(email, /code/i);
  const [, code] = /\b(\d{6})\b/.exec(text) ?? [];
  return { browser, email, path: '/auth/code/login', body: { email, code } };
}

async function changed(server: TestServer) {
  const { browser, email } = await register(server);
  const next = `new-${email}`;
  await browser.post('/account/email', { email: next });
  const hash = linkIn((await server.mailTo(next, /./)).text, 'change-email');
  return { browser, email, next, body: { hash } };
}

const singleUseSteps: readonly SingleUseStep[] = [
  {
    ...{ name: 'a code from an email', status: 200, sessions: 1, elsewhere: '410 code_expired' },
    async prepare(server) {
      const person = await registerProven(server);
      return askForCode(server, person.email);
    },
  },
  {
    ...{ name: 'a code from an email before a second step', status: 401, elsewhere: '410 code_expired' },
    async prepare(server) {
      const person = await withAuthenticator(server);
      await proveAddress(server, person);
      return askForCode(server, person.email);
    },
  },
  {
    ...{ name: 'a second step by code', status: 200, sessions: 1, elsewhere: '410 sign_in_expired' },
    async prepare(server) {
      const { email, app } = await withAuthenticator(server);
      const code = app.nextCode();
      return { browser: await pending(server, email), email, path: '/auth/second-step', body: { code } };
    },
  },
  {
    ...{ name: 'a second step by recovery code', status: 200, sessions: 1, elsewhere: '410 sign_in_expired' },
    async prepare(server) {
      const { email, app } = await withAuthenticator(server);
      const body = { recovery_code: app.recoveryCodes[0], remember: true };
      return { browser: await pending(server, email), email, path: '/auth/second-step', body };
    },
  },
  {
    ...{ name: 'a second step by passkey', status: 200, sessions: 1, elsewhere: '410 sign_in_expired' },
    async prepare(server) {
      const { browser: own, email } = await withAuthenticator(server);
      const authenticator = await addPasskey(own, openAuthenticator({ synced: false }));
      const browser = await pending(server, email);
      const credential = authenticator.use((await browser.post('/auth/second-step/challenge')).body);
      return { browser, email, path: '/auth/second-step', body: { credential } };
    },
  },
  {
    ...{ name: 'a sign-in by passkey', status: 200, sessions: 1, elsewhere: '410 challenge_expired' },
    async prepare(server) {
      const { browser: own, email } = await register(server);
      const authenticator = await addPasskey(own, openAuthenticator({ synced: false }));
      const browser = server.client();
      const credential = authenticator.use(await signInOptions(browser));
      return { browser, email, path: '/auth/passkeys/login', body: { credential } };
    },
  },
  {
    ...{ name: 'a new passkey', status: 201 },
    async prepare(server) {
      const { browser, email } = await register(server);
      const credential = openAuthenticator().create(await creationOptions(browser));
      return { browser, email, path: '/account/passkeys', body: { credential } };
    },
  },
  {
    ...{ name: 'the setup of an authenticator', status: 201 },
    async prepare(server) {
      return { ...(await register(server)), path: '/account/authenticator', body: {} };
    },
  },
  {
    ...{ name: 'the confirmation of an authenticator', status: 200 },
    async prepare(server) {
      const { browser, email } = await register(server);
      const { secret } = (await browser.post('/account/authenticator')).body;
      const code = authenticatorWith(server, secret).code();
      return { browser, email, path: '/account/authenticator/confirm', body: { code } };
    },
  },
  {
    ...{ name: 'new recovery codes', status: 200 },
    prepare: async (server) => ({ ...(await withAuthenticator(server)), path: '/account/recovery-codes', body: {} }),
  },
  {
    ...{ name: 'a step-up by code', status: 200 },
    async prepare(server) {
      const { browser, email, app } = await withAuthenticator(server);
      return { browser, email, path: '/auth/step-up', body: { code: app.nextCode() } };
    },
  },
  {
    ...{ name: 'a step-up by passkey', status: 200 },
    async prepare(server) {
      const { browser, email } = await register(server);
      const authenticator = await addPasskey(browser, openAuthenticator({ synced: false }));
      const credential = authenticator.use((await browser.post('/auth/step-up/challenge')).body);
      return { browser, email, path: '/auth/step-up', body: { credential } };
    },
  },
  {
    ...{ name: 'a change of address', status: 200, elsewhere: '410 confirmation_link_expired' },
    async prepare(server) {
      const { next, body } = await changed(server);
      return { browser: server.client(), email: next, path: '/account/email/change', body };
    },
  },
  {
    ...{ name: 'an undone change of address', status: 200, elsewhere: '410 confirmation_link_expired' },
    async prepare(server) {
      const { browser, email, body } = await changed(server);
      await browser.post('/account/email/change', body);
      const hash = linkIn((await server.mailTo(email, /was changed/)).text, 'change-email');
      return { browser: server.client(), email, path: '/account/email/undo', body: { hash } };
    },
  },
  {
    ...{ name: 'a reset of the password', status: 204, elsewhere: '410 reset_link_invalid' },
    async prepare(server) {
      const { email } = await register(server);
      const browser = server.client();
      await browser.post('/auth/recovery', { email, locale: 'en' });
      const hash = linkIn((await server.mailTo(email, /new password/)).text, 'reset-password');
      const body = { email, hash, password: 'seven wet umbrellas', password_repeat: 'seven wet umbrellas' };
      return { browser, email, path: '/auth/reset-password', body };
    },
  },
  {
    ...{ name: 'the link that keeps a second step', status: 204, elsewhere: '410 confirmation_link_expired' },
    async prepare(server) {
      const { email } = await withAuthenticator(server);
      await (await pending(server, email)).post('/auth/second-step/lost');
      const hash = linkIn((await server.mailTo(email, /will be removed/)).text, 'keep-second-step');
      return { browser: server.client(), email, path: '/auth/second-step/keep', body: { hash } };
    },
  },
  {
    ...{ name: 'an invitation of an operator', status: 200 },
    async prepare(server) {
      const owner = await registerOwner(server);
      const { browser, email } = await withAuthenticator(server);
      const { invitation } = (await owner.post('/operators/invitations', { email, role: 'support' })).body;
      return { browser, email, path: '/operators/invitations/accept', body: { invitation } };
    },
  },
  {
    ...{ name: 'a change of password', status: 204 },
    async prepare(server) {
      const next = { password: 'seven wet umbrellas', password_repeat: 'seven wet umbrellas' };
      return { ...(await register(server)), path: '/account/password', body: { current_password: password, ...next } };
    },
  },
];

/** What must be the same in both responses: the session of a sign-in, or the whole body. */
function sameIn({ status, body, headers }: TestResponse): unknown {
  const cookies = headers.getSetCookie().filter((cookie) => /pending_sign_in=[\w-]{43}|device=/.test(cookie));
  if (typeof body?.access_token !== 'string') return { status, body, cookies };
  const { sid, auth_time } = JSON.parse(Buffer.from(body.access_token.split('.')[1] ?? '', 'base64url').toString());
  return { status, sid, auth_time, cookies };
}

/** How long a step may be repeated. */
const overAfter = minutes(1) + 1000;

/** The live sessions of an account. */
const liveSessions = async ({ store }: TestServer, email: string): Promise<number> =>
  (
    await store
      .selectFrom('sessions')
      .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
      .select('sessions.id')
      .where('accounts.email', '=', email)
      .where('ended_at', 'is', null)
      .execute()
  ).length;

describe.each(usualEngines)('a step that works once, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test.each(singleUseSteps)('gets the same result at once and again: $name', async (step) => {
    const { browser, email, path, body } = await step.prepare(server);
    if (!browser.cookies.has('csrf_token')) await browser.get('/auth/csrf');
    const [before, late, other] = [await liveSessions(server, email), browser.copy(), server.client()];
    const both = await Promise.all([1, 2].map(() => browser.copy().post(path, body)));
    const again = await browser.copy().post(path, body);
    expect(both.map(({ status }) => status)).toEqual([step.status, step.status]);
    const [first, second] = both.map(sameIn);
    expect([second, sameIn(again)]).toEqual([first, first]);
    if (step.sessions) expect(await liveSessions(server, email)).toBe(before + step.sessions);
    if (!step.elsewhere) return;
    expect(await other.post(path, body)).toSay(step.elsewhere);
    server.forward(overAfter);
    expect(await late.post(path, body)).toSay(step.elsewhere);
  });
});
