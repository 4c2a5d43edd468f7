import { describe, expect, test } from 'vitest';
import { hours } from '../contract/units.ts';
import { randomSecret } from '../security/macs.ts';
import { findAccountByEmail } from '../store/accounts/accounts.ts';
import { addAuthenticator } from '../testing/authenticator.ts';
import { type Client, statusAndCode } from '../testing/client.ts';
import { placeOf, runCommand } from '../testing/command-line.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { secretsIn } from '../testing/outbox.ts';
import { type Authenticator, addPasskey, signInOptions } from '../testing/passkey-authenticator.ts';
import { form, password, proveAddress } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

interface Person {
  readonly server: TestServer;
  readonly email: string;
  /** The browser that registered. */
  readonly known: Client;
  /** The registration request as sent. */
  readonly registration: Record<string, unknown>;
  /** Added by the browser that registered, right after that. */
  readonly passkey: Authenticator;
}

/** Events before the owner signs in. */
const states: Record<string, (person: Person) => Promise<unknown>> = {
  proven: ({ server, email, known: browser }) => proveAddress(server, { email, browser }),
  unproven: async () => undefined,
  leaving: async (person) => {
    await states.proven?.(person);
    const { known } = person;
    expect(await known.send('DELETE', '/account', { body: { password } })).toSay('204');
  },
  'given back': async (person) => {
    await states.proven?.(person);
    const { server, email, known } = person;
    const other = `other-${email}`;
    await known.post('/account/email', { email: other, password });
    const hash = await secretsIn(server, other).changeLink();
    expect(await known.post('/account/email/change', { hash })).toSay('200');
    const undo = await secretsIn(server, email).undoLink();
    expect(await server.client().post('/account/email/undo', { hash: undo })).toSay('200');
  },
  protected: async (person) => {
    await states.proven?.(person);
    await addAuthenticator(person.server, person.known);
  },
  locked: async (person) => {
    await states.proven?.(person);
    await runCommand(['accounts', 'lock', person.email], placeOf(person.server));
  },
};

interface Arrival extends Person {
  readonly browser: Client;
  readonly shared: boolean;
}

/** Methods of proving who they are. */
const methods: Record<string, (arrival: Arrival) => Promise<string>> = {
  password: async ({ email, browser, shared }) =>
    statusAndCode(await browser.post('/auth/login', { email, password, shared })),
  code: async ({ server, email, browser, shared }) => {
    await browser.post('/auth/code', { email, locale: 'en' });
    const code = await secretsIn(server, email).signInCode();
    return statusAndCode(await browser.post('/auth/code/login', { email, code, shared }));
  },
  passkey: async ({ browser, passkey, shared }) => {
    const credential = passkey.use(await signInOptions(browser));
    return statusAndCode(await browser.post('/auth/passkeys/login', { credential, shared }));
  },
  'repeated registration': async ({ browser, registration }) =>
    statusAndCode(await browser.post('/auth/register', registration)),
  recovery: async ({ server, email, browser }) => {
    await browser.post('/auth/recovery', { email, locale: 'en' });
    const hash = await secretsIn(server, email).resetLink();
    const next = { password: 'stones in the river', password_repeat: 'stones in the river' };
    return statusAndCode(await browser.post('/auth/reset-password', { email, hash, ...next }));
  },
};

/** The last cells of a row of the table below. */
async function outcome(arrival: Arrival, arrive: (arrival: Arrival) => Promise<string>): Promise<string[]> {
  const { server, email, browser } = arrival;
  const { store } = server;
  const account = await findAccountByEmail(store, email);
  const read = async () => {
    const mine = async <Table extends 'sessions' | 'devices' | 'activity'>(table: Table) =>
      store
        .selectFrom(table as 'sessions')
        .selectAll()
        .where('account_id', '=', account?.id ?? '')
        .execute();
    const live = (await mine('sessions')).filter(({ ended_at }) => ended_at === null).length;
    const kinds = (await mine('activity')).map((line) => (line as unknown as { kind: string }).kind);
    const notices = await store.selectFrom('outbox').select('notice').where('recipient', '=', email).execute();
    return { live, devices: (await mine('devices')).length, kinds, notices: notices.map(({ notice }) => notice) };
  };
  const before = await read();
  const cookies = new Map(browser.cookies);
  const response = await arrive(arrival);
  const after = await read();
  const asked = new Set(['sign_in_code', 'recovery', 'recovery_requested']);
  const added = (one: readonly string[], other: readonly string[]) =>
    other.toSorted().filter((name, at, all) => all.indexOf(name) === at && !asked.has(name) && !one.includes(name));
  const isNew = (name: string) => browser.cookies.has(name) && browser.cookies.get(name) !== cookies.get(name);
  const cookieNames = { session: '__Host-refresh_token', device: '__Host-device' };
  const set = Object.entries(cookieNames).flatMap(([name, cookie]) => (isNew(cookie) ? [name] : []));
  const change = (was: number, is: number) => (is < was ? String(is - was) : `+${is - was}`);
  const records = after.kinds.filter((kind) => !before.kinds.includes(kind) && !asked.has(kind));
  return [
    ...[response, change(before.live, after.live), change(before.devices, after.devices), set.join(', ')],
    ...[records.toSorted().join(', '), added(before.notices, after.notices).join(', ')],
  ];
}

/**
 * Each method in the browser that registered, signed in or out, and in one that is new to the account; `shared` is a
 * sign-in on a shared computer. A passkey of an account that was given back had been added by the session that moved it.
 */
const rows = `
method | account | browser | response | new sessions | new devices | cookies | records | emails
password | proven | known | 200 | +0 | +0 | session | signed_in |
password | proven | new | 200 | +1 | +1 | session, device | signed_in | new_device
password | proven | known shared | 200 | +0 | -1 | session | signed_in |
password | proven | new shared | 200 | +1 | +0 | session | signed_in | new_device
password | unproven | new | 200 | +1 | +1 | session, device | signed_in |
password | leaving | new | 200 | +1 | +1 | session, device | deletion_taken_back, signed_in | deletion_canceled, new_device
password | leaving | known | 200 | +1 | +0 | session | deletion_taken_back, signed_in | deletion_canceled
password | locked | new | 422 email_cannot_be_used | +0 | +0 |  |  |
password | given back | new | 401 incorrect_login_or_password | +0 | +0 |  |  |
code | given back | known | 200 | +1 | +1 | session, device | signed_in |
code | proven | known | 200 | +0 | +0 | session | signed_in |
code | proven | new | 200 | +1 | +1 | session, device | signed_in |
code | proven | known shared | 200 | +0 | -1 | session | signed_in |
code | proven | new shared | 200 | +1 | +0 | session | signed_in |
code | unproven | known | 200 | +0 | +0 | session | signed_in |
code | unproven | new | 200 | +0 | +0 | session, device | signed_in | account_cleared
code | leaving | new | 200 | +1 | +1 | session, device | deletion_taken_back, signed_in | deletion_canceled
code | locked | new | 422 email_cannot_be_used | +0 | +0 |  |  |
passkey | proven | known | 200 | +0 | +0 | session | signed_in |
passkey | proven | new | 200 | +1 | +1 | session, device | signed_in | new_device
passkey | proven | known shared | 200 | +0 | -1 | session | signed_in |
passkey | unproven | new | 200 | +1 | +1 | session, device | signed_in |
passkey | leaving | new | 200 | +1 | +1 | session, device | deletion_taken_back, signed_in | deletion_canceled, new_device
passkey | locked | new | 422 email_cannot_be_used | +0 | +0 |  |  |
passkey | given back | new | 401 passkey_unknown | +0 | +0 |  |  |
repeated registration | unproven | new | 201 | +1 | +1 | session, device | signed_in |
repeated registration | leaving | new | 409 account_exists | +0 | +0 |  |  |
repeated registration | locked | new | 422 email_cannot_be_used | +0 | +0 |  |  |
password | protected | known | 401 second_step_required | +0 | +0 |  |  |
password | protected | new | 401 second_step_required | +0 | +0 |  |  |
password | protected | known shared | 401 second_step_required | +0 | +0 |  |  |
code | protected | known | 401 second_step_required | +0 | +0 |  |  |
code | protected | new | 401 second_step_required | +0 | +0 |  |  |
repeated registration | protected | new | 401 second_step_required | +0 | +0 |  |  |
recovery | protected | new | 204 | -1 | -1 | device | password_reset | password_changed
recovery | proven | known | 204 | -1 | +0 |  | password_reset | password_changed
recovery | proven | new | 204 | -1 | +0 | device | password_reset | password_changed
recovery | unproven | new | 204 | -1 | +0 | device | password_reset | password_changed
recovery | leaving | new | 204 | +0 | +0 | device | password_reset | password_changed
`
  .trim()
  .split('\n')
  .slice(1)
  .map(
    (line) =>
      line.split('|').map((cell) => cell.trim()) as [method: string, state: string, device: string, ...string[]],
  );

describe.each(usualEngines)('admission, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test.each(rows)('by %s to an account that is %s, in a %s browser', async (method, state, device, ...comes) => {
    const registration = form({ attempt: randomSecret(128) });
    const known = server.client();
    expect(await known.post('/auth/register', registration)).toSay('201');
    const passkey = await addPasskey(known);
    const person = { server, email: String(registration.email), known, registration, passkey };
    await states[state]?.(person);
    const shared = device.endsWith('shared');
    const browser = device.startsWith('known') ? known : server.client();
    expect(await outcome({ ...person, browser, shared }, methods[method] as (typeof methods)['code'])).toEqual(comes);
    const isIn = comes[3]?.startsWith('session');
    // The browser that registered keeps its session while its next sign-in waits for the second step.
    const keepsSession = device.startsWith('known') && comes[0] === '401 second_step_required';
    expect(await browser.post('/auth/refresh')).toSay(isIn || keepsSession ? /^200/ : /^401/);
    // Emails are batched by the hour.
    server.forward(hours(1));
  });
});
