import { describe, expect, test } from 'vitest';
import { days, minutes } from '../contract/units.ts';
import { telegramLinks } from '../devices/store/telegram-links.ts';
import { addOperatorKey, inviteOperator } from '../operations/operators.ts';
import { sha256 } from '../security/macs.ts';
import { findAccountByEmail } from '../store/accounts/accounts.ts';
import { invitationExists } from '../store/operators/operators.ts';
import type { Client } from '../testing/client.ts';
import { placeOf, runCommand } from '../testing/command-line.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { secretsIn } from '../testing/outbox.ts';
import { type Authenticator, addPasskey, signInWith } from '../testing/passkey-authenticator.ts';
import { addComputer, password, proveAddress, register, resetByEmail } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

const next = 'stones in the river';
const nextPassword = { password: next, password_repeat: next };

/** An account with every kind of access, created before or after its last change of address. */
interface Equipped {
  readonly server: TestServer;
  /** The session that acts, in the browser that registered. */
  readonly browser: Client;
  readonly other: Client;
  /** Requested a sign-in code, and is not signed in. */
  readonly codeBrowser: Client;
  readonly address: string;
  /** The account's addresses before its two changes, and between them. */
  readonly addresses: readonly [first: string, second: string];
  readonly early: Client;
  readonly late: Client;
  readonly earlyPasskey: Authenticator;
  readonly latePasskey: Authenticator;
  readonly enrolment: string;
  readonly chatLink: string;
  readonly resetLinks: readonly [string, string];
  readonly signInCode: string;
  readonly changeLink: string;
  readonly undoFirst: string;
  readonly undoSecond: string;
  readonly earlyKey: string;
  readonly lateKey: string;
  readonly invitation: string;
}

async function changeAddress(server: TestServer, browser: Client, to: string): Promise<void> {
  expect(await browser.post('/account/email', { email: to, password })).toSay('202');
  const hash = await secretsIn(server, to).changeLink();
  expect(await browser.post('/account/email/change', { hash })).toSay('200');
}

async function equip(server: TestServer): Promise<Equipped> {
  const person = await register(server);
  const { browser, email } = person;
  await proveAddress(server, person);
  const addresses = [email, `second-${email}`] as const;
  const address = `third-${email}`;
  await changeAddress(server, browser, addresses[1]);
  const { computer: early } = await addComputer(server, browser);
  const earlyPasskey = await addPasskey(browser);
  server.forward(minutes(1));
  await changeAddress(server, browser, address);
  server.forward(minutes(1));
  const { computer: late } = await addComputer(server, browser);
  const latePasskey = await addPasskey(browser);
  const other = server.client();
  expect(await other.post('/auth/login', { email: address, password })).toSay('200');
  const codeBrowser = server.client();
  await codeBrowser.post('/auth/code', { email: address, locale: 'en' });
  const resetLinks: string[] = [];
  for (const nth of [1, 2]) {
    await server.client().post('/auth/recovery', { email: address, locale: 'en' });
    const { text } = await server.mailTo(address, /new password/i, nth);
    resetLinks.push(/hash=([\w-]+)/.exec(text)?.[1] ?? '');
  }
  await browser.post('/account/email', { email: `wished-${email}`, password });
  const actor = (await findAccountByEmail(server.store, address))?.id ?? '';
  const operator = { kind: 'operator', actor, origin: '', reason: undefined } as const;
  const operationAt = (now: number) => ({ store: server.store, operator, now });
  const addKey = async (addedAt: number) => {
    const key = { name: 'script', role: 'viewer', addresses: [], expiresAt: server.now() + days(30) } as const;
    return (await addOperatorKey(operationAt(addedAt), key)).key;
  };
  const chatLink = sha256(address);
  await telegramLinks.add(server.store, { token_hash: chatLink, account_id: actor, created_at: server.now() });
  const invited = { email: `invited-${email}`, role: 'owner' } as const;
  return {
    earlyKey: await addKey(server.now() - days(4)),
    lateKey: await addKey(server.now()),
    invitation: (await inviteOperator(operationAt(server.now()), invited)).invitation,
    ...{ server, browser, other, codeBrowser, address, addresses, early, late, earlyPasskey, latePasskey, chatLink },
    enrolment: (await browser.post('/computers/enrolments', { password })).body.code,
    resetLinks: resetLinks as [string, string],
    signInCode: await secretsIn(server, address).signInCode(),
    changeLink: await secretsIn(server, `wished-${email}`).changeLink(),
    undoFirst: await secretsIn(server, email).undoLink(),
    undoSecond: await secretsIn(server, addresses[1]).undoLink(),
  };
}

/** Lists the access that still works, in an order in which no request affects the next. */
async function whatWorks(one: Equipped): Promise<string[]> {
  const { server, browser, other, codeBrowser, address, early, late } = one;
  const account =
    (await findAccountByEmail(server.store, address)) ?? (await findAccountByEmail(server.store, one.addresses[1]));
  const devices = await server.store
    .selectFrom('devices')
    .select('token_hash')
    .where('account_id', '=', account?.id ?? '')
    .execute();
  const stranger = () => server.client();
  const beat = { platform: 'linux' };
  const programWith = (token: string) => Object.assign(stranger(), { token });
  const asks: Record<string, () => Promise<{ status: number }>> = {
    'operator key of last week': () => programWith(one.earlyKey).get('/operators/today'),
    'operator key': () => programWith(one.lateKey).get('/operators/today'),
    'operator invitation': async () => ({
      status: (await invitationExists(server.store, sha256(one.invitation))) ? 200 : 404,
    }),
    'own session': () => browser.copy().post('/auth/refresh'),
    'other session': () => other.copy().post('/auth/refresh'),
    'computer before the change': () => early.post('/computers/heartbeat', beat),
    'computer since the change': () => late.post('/computers/heartbeat', beat),
    'code for a computer': () =>
      stranger().post('/computers/enrol', { code: one.enrolment, name: 'New', platform: 'linux' }),
    'link for a chat': async () => ({
      status: (await telegramLinks.find(server.store, { token_hash: one.chatLink }, server.now())) ? 200 : 404,
    }),
    'reset link': () =>
      stranger().post('/auth/reset-password/check', { email: account?.email, hash: one.resetLinks[1] }),
    password: () => stranger().post('/auth/login', { email: account?.email, password }),
    'passkey before the change': () => signInWith(stranger(), one.earlyPasskey),
    'passkey since the change': () => signInWith(stranger(), one.latePasskey),
    'sign-in code': () => codeBrowser.post('/auth/code/login', { email: address, code: one.signInCode }),
    'requested address': () => stranger().post('/account/email/change', { hash: one.changeLink }),
    'second undo': () => stranger().post('/account/email/undo', { hash: one.undoSecond }),
    'first undo': () => stranger().post('/account/email/undo', { hash: one.undoFirst }),
  };
  const works = [`${devices.length} known devices`];
  for (const [name, ask] of Object.entries(asks)) if ((await ask()).status < 300) works.push(name);
  return works;
}

const everything = [
  '2 known devices',
  'own session',
  'other session',
  'computer before the change',
  'computer since the change',
  'code for a computer',
  'link for a chat',
  'reset link',
  'password',
  'passkey before the change',
  'passkey since the change',
  'sign-in code',
  'requested address',
  'second undo',
  'first undo',
  'operator key of last week',
  'operator key',
  'operator invitation',
];
const computers = ['computer before the change', 'computer since the change'];
const passkeys = ['passkey before the change', 'passkey since the change'];
const undos = ['second undo', 'first undo'];
/** Begun in a session, and finished without one. */
const begun = ['code for a computer', 'link for a chat', 'requested address', 'operator invitation'];
const keys = ['operator key of last week', 'operator key'];

const without = (pattern: RegExp, names: readonly string[]) =>
  everything.filter((name) => !pattern.test(name) && !names.includes(name));

const command =
  (...words: string[]) =>
  async ({ server, address }: Equipped) => {
    expect((await runCommand(['accounts', ...words, address], placeOf(server))).err).toBe('');
  };

const happenings: [what: string, happen: (one: Equipped) => Promise<unknown>, works: string[]][] = [
  ['nothing', async () => undefined, everything],
  [
    'the owner changes the password',
    ({ browser }) => browser.post('/account/password', { current_password: password, ...nextPassword }),
    ['1 known devices', 'own session', ...computers, ...passkeys, ...undos, ...keys],
  ],
  [
    'the owner resets the password',
    ({ server, address, resetLinks: [hash] }) =>
      server.client().post('/auth/reset-password', { email: address, hash, ...nextPassword }),
    ['1 known devices', ...computers, ...passkeys, ...undos, 'operator key of last week'],
  ],
  [
    'the second change of address is undone',
    ({ server, undoSecond: hash }) => server.client().post('/account/email/undo', { hash }),
    // The session that made the change had added the earlier passkey as well.
    ['0 known devices', 'computer before the change', 'first undo', 'operator key of last week'],
  ],
  ['an operator locks the account', command('lock'), ['2 known devices', ...computers, ...undos]],
  ['an operator ends the sessions', command('end-sessions'), without(/session/, begun)],
  [
    'the owner ends the other sessions',
    ({ browser }) => browser.send('DELETE', '/account/sessions', {}),
    without(/other session|known/, begun).concat('1 known devices'),
  ],
  [
    'the owner ends another session',
    async ({ browser }) => {
      const { sessions } = (await browser.get('/account/sessions')).body;
      const { id } = sessions.find(({ current }: { current: boolean }) => !current);
      await browser.send('DELETE', `/account/sessions/${id}`, {});
    },
    without(/other session|known/, begun).concat('1 known devices'),
  ],
  [
    'a copy of the other session is used',
    async ({ other }) => {
      const thief = other.copy();
      for (const _ of [1, 2]) await other.post('/auth/refresh');
      await thief.post('/auth/refresh');
    },
    without(/other session/, begun),
  ],
  [
    'the owner deletes the account, and comes back',
    async ({ server, browser, address }) => {
      await browser.send('DELETE', '/account', { body: { password } });
      expect(await server.client().post('/auth/login', { email: address, password })).toSay('200');
    },
    ['3 known devices', ...computers, 'password', ...passkeys, ...undos],
  ],
  [
    'the requested address is confirmed',
    ({ browser, changeLink: hash }) => browser.post('/account/email/change', { hash }),
    // `whatWorks` looks the account up by its former address, so it finds neither password nor devices.
    everything.filter((name) => !/known|reset|password|sign-in|requested/.test(name)).concat('0 known devices'),
  ],
];

describe.each(usualEngines)('the access that still works, on %s,', async (engine) => {
  const server = await openTestServer(engine, {
    RECOVERY_MAILS_PER_ACCOUNT: '100',
    RECOVERY_MAILS_PER_ADDRESS: '1000',
  });

  test.each(happenings)('after %s', async (_what, happen, works) => {
    const one = await equip(server);
    await happen(one);
    expect((await whatWorks(one)).sort()).toEqual([...works].sort());
  });

  test('includes the account page after a reset, despite wrong passwords that a thief entered there', async () => {
    const { browser: thief, email } = await register(server);
    const change = (browser: Client, current: string) =>
      browser.post('/account/password', {
        current_password: current,
        password: 'fog over',
        password_repeat: 'fog over',
      });
    for (const _ of [1, 2, 3, 4, 5, 6]) await change(thief, 'a wrong guess');
    expect(await change(thief, password)).toSay('429 too_many_attempts');
    const owner = await resetByEmail(server, { email, word: next });
    await owner.post('/auth/login', { email, password: next });
    expect(await change(owner, 'a wrong guess')).toSay('401 incorrect_password');
  });
});
