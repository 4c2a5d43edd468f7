import { describe, expect, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { addAuthenticator, beginSignIn, type TestAuthenticator } from '../testing/authenticator.ts';
import { type Client, statusAndCode } from '../testing/client.ts';
import { placeOf, runCommand } from '../testing/command-line.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { secretsIn } from '../testing/outbox.ts';
import { type Authenticator, addPasskey, change, signInWith } from '../testing/passkey-authenticator.ts';
import { password, proveAddress, register, resetByEmail } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

const next = 'stones in the river';
const nextPassword = { password: next, password_repeat: next };

/** An account with a second step, and everything that belongs to it. */
interface Equipped {
  readonly server: TestServer;
  /** The session that acts, in the browser that registered; it has just used the second factor. */
  readonly browser: Client;
  /** Signed in with both factors; skips the second step for 30 days. */
  readonly remembered: Client;
  /** The right first factor, and no second one yet; requested the removal of the second step. */
  readonly pending: Client;
  /** The account’s current address; an undo changes it. */
  address: string;
  readonly app: TestAuthenticator;
  readonly passkey: Authenticator;
  readonly stopLink: string;
  /** Undoes the change of address; absent for an unproven address. */
  readonly undoLink?: string;
}

/**
 * Whether the second step was set up after the account’s change of address, or before it; then another session makes
 * the change.
 */
type SetUp = 'before' | 'since' | 'unproven';

async function secondStepOf(server: TestServer, browser: Client) {
  const app = await addAuthenticator(server, browser);
  return { app, passkey: await addPasskey(browser) };
}

async function changeAddress(server: TestServer, { browser, email }: { browser: Client; email: string }) {
  const address = `second-${email}`;
  expect(await browser.post('/account/email', { email: address, password })).toSay('202');
  const hash = await secretsIn(server, address).changeLink();
  expect(await browser.post('/account/email/change', { hash })).toSay('200');
  return { address, undoLink: await secretsIn(server, email).undoLink() };
}

async function equip(server: TestServer, setUp: SetUp): Promise<Equipped> {
  const person = await register(server);
  const { browser, email } = person;
  if (setUp !== 'unproven') await proveAddress(server, person);
  const early = setUp === 'since' ? undefined : await secondStepOf(server, browser);
  let moved: { readonly address: string; readonly undoLink?: string } = { address: email };
  if (setUp !== 'unproven') {
    server.forward(minutes(1));
    const mover = early ? server.client() : browser;
    if (early) expect(await signInWith(mover, early.passkey)).toSay('200');
    moved = await changeAddress(server, { browser: mover, email });
    server.forward(minutes(1));
  }
  const { app, passkey } = early ?? (await secondStepOf(server, browser));
  const { address } = moved;
  const remembered = await beginSignIn(server, address);
  const second = { code: app.nextCode(), remember: true };
  expect(await remembered.post('/auth/second-step', second)).toSay('200');
  const pending = await beginSignIn(server, address);
  expect(await pending.post('/auth/second-step/lost')).toSay('202');
  const { text } = await server.mailTo(address, /will be removed/);
  const stopLink = /keep-second-step\/\?hash=([\w-]+)/.exec(text)?.[1] ?? '';
  return { server, browser, remembered, pending, app, passkey, stopLink, ...moved };
}

/** Proves the first factor with an emailed code, which every event leaves possible. */
async function firstFactor({ server, address }: Equipped, browser: Client): Promise<string> {
  await browser.post('/auth/code', { email: address, locale: 'en' });
  const code = await secretsIn(server, address).signInCode();
  return statusAndCode(await browser.post('/auth/code/login', { email: address, code }));
}

/** Lists what still works of the second step, in an order in which no request affects the next. */
async function whatWorks(one: Equipped): Promise<string[]> {
  const { server, browser, remembered, pending, app, passkey, stopLink } = one;
  const completes = async (proof: () => object) => {
    const fresh = server.client();
    if ((await firstFactor(one, fresh)) !== '401 second_step_required') return false;
    return (await fresh.post('/auth/second-step', proof())).status === 200;
  };
  const checks: Record<string, () => Promise<boolean>> = {
    'own step-up': async () => (await browser.get('/account/export')).status === 200,
    'other step-up': async () => (await remembered.get('/account/export')).status === 200,
    'pending sign-in': async () => (await pending.get('/auth/second-step')).body.ways.length > 0,
    'planned removal': async () =>
      (await server.client().post('/auth/second-step/keep', { hash: stopLink })).status === 204,
    authenticator: () => completes(() => ({ code: app.nextCode() })),
    'recovery code': () => completes(() => ({ recovery_code: app.recoveryCodes[0] })),
    passkey: async () => (await signInWith(server.client(), passkey)).status === 200,
    'remembered device': async () => {
      const again = server.client();
      again.cookies.set('__Host-device', remembered.cookies.get('__Host-device') ?? '');
      // Skipping the second step proves something only if other browsers need it.
      if ((await firstFactor(one, again)) !== '200') return false;
      return (await firstFactor(one, server.client())) === '401 second_step_required';
    },
  };
  const works: string[] = [];
  for (const [name, check] of Object.entries(checks)) if (await check()) works.push(name);
  return works;
}

const lasting = ['authenticator', 'recovery code', 'passkey'];
const everything = [
  'own step-up',
  'other step-up',
  'pending sign-in',
  'planned removal',
  ...lasting,
  'remembered device',
];
const without = (...ended: string[]) => everything.filter((name) => !ended.includes(name));

async function command({ server, address }: Equipped, ...words: string[]): Promise<void> {
  expect((await runCommand(['accounts', ...words, address], placeOf(server))).err).toBe('');
}

async function undoChange(one: Equipped): Promise<void> {
  const response = await one.server.client().post('/account/email/undo', { hash: one.undoLink });
  expect(response).toSay('200');
  one.address = one.address.replace('second-', '');
}

interface Happening {
  readonly setUp: SetUp;
  happen(one: Equipped): Promise<unknown>;
  readonly works: readonly string[];
}

const happenings: Record<string, Happening> = {
  nothing: { setUp: 'before', happen: async () => undefined, works: everything },
  'the owner changes the password': {
    setUp: 'before',
    async happen({ browser }) {
      const response = await browser.post('/account/password', { current_password: password, ...nextPassword });
      expect(response).toSay('204');
    },
    works: ['own step-up', ...lasting],
  },
  'the owner resets the password': {
    setUp: 'before',
    happen: ({ server, address }) => resetByEmail(server, { email: address, word: next }),
    works: lasting,
  },
  'the change of address is undone': { setUp: 'before', happen: undoChange, works: lasting },
  'the change of address is undone, before the second step': { setUp: 'since', happen: undoChange, works: [] },
  'an operator locks the account, and unlocks it': {
    setUp: 'before',
    async happen(one) {
      await command(one, 'lock');
      expect(await signInWith(one.server.client(), one.passkey)).toSay(/^4/);
      await command(one, 'unlock');
    },
    works: lasting,
  },
  'an operator ends the sessions': {
    setUp: 'before',
    happen: (one) => command(one, 'end-sessions'),
    works: without('own step-up', 'other step-up', 'pending sign-in', 'remembered device'),
  },
  'the owner ends the other sessions': {
    setUp: 'before',
    happen: ({ browser }) => change(browser, 'DELETE', '/account/sessions'),
    works: without('other step-up', 'pending sign-in', 'remembered device'),
  },
  'a copy of the other session is used': {
    setUp: 'before',
    async happen({ remembered }) {
      const thief = remembered.copy();
      for (const _ of [1, 2]) await remembered.post('/auth/refresh');
      expect((await thief.post('/auth/refresh')).body.reason).toBe('reused');
    },
    works: without('other step-up', 'remembered device'),
  },
  'the owner deletes the account, and comes back': {
    setUp: 'before',
    async happen({ server, browser, passkey }) {
      expect(await change(browser, 'DELETE', '/account', { password })).toSay('204');
      expect(await signInWith(server.client(), passkey)).toSay('200');
    },
    works: [...lasting, 'remembered device'],
  },
  'the owner of an unproven address signs in': {
    setUp: 'unproven',
    async happen(one) {
      expect(await firstFactor(one, one.server.client())).toBe('200');
    },
    works: [],
  },
};

describe.each(usualEngines)('what works of a second step, on %s,', async (engine) => {
  const opened = await openTestServer(engine, {
    RECOVERY_MAILS_PER_ACCOUNT: '100',
    RECOVERY_MAILS_PER_ADDRESS: '1000',
  });

  test.each(Object.entries(happenings))('after %s', async (_what, { setUp, happen, works }) => {
    const one = await equip(opened, setUp);
    await happen(one);
    expect((await whatWorks(one)).sort()).toEqual([...works].sort());
  });
});
