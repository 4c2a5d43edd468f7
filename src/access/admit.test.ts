import { describe, expect, test } from 'vitest';
import { hours } from '../contract/units.ts';
import { randomSecret } from '../security/macs.ts';
import { findAccountByEmail } from '../store/accounts/accounts.ts';
import { addAuthenticator } from '../testing/authenticator.ts';
import { type Client, statusAndCode } from '../testing/client.ts';
import { runCommand } from '../testing/command-line.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import type { Authenticator } from '../testing/passkey-authenticator.ts';
import { addPasskey, signInOptions } from '../testing/passkeys.ts';
import { form, password, proveAddress } from '../testing/people.ts';
import { secretsIn } from '../testing/secrets-in-mail.ts';
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
  'about to be deleted': async (person) => {
    await states.proven?.(person);
    const { known } = person;
    const headers = { 'x-csrf-token': known.cookies.get('csrf_token') ?? '' };
    expect(statusAndCode(await known.send('DELETE', '/account', { body: { password }, headers }))).toBe('204');
  },
  'given back to its owner': async (person) => {
    await states.proven?.(person);
    const { server, email, known } = person;
    const other = `other-${email}`;
    await known.post('/account/email', { email: other, password });
    const hash = await secretsIn(server, other).changeLink();
    expect(statusAndCode(await known.post('/account/email/change', { hash }))).toBe('200');
    const undo = await secretsIn(server, email).undoLink();
    expect(statusAndCode(await server.client().post('/account/email/undo', { hash: undo }))).toBe('200');
  },
  'protected by a second step': async (person) => {
    await states.proven?.(person);
    await addAuthenticator(person.server, person.known);
  },
  locked: async (person) => {
    await states.proven?.(person);
    const { DATA_DIR, DATABASE_URL } = person.server.config;
    const settings = { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' };
    await runCommand(['accounts', 'lock', person.email], { folder: DATA_DIR, settings });
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

/** Summarizes the outcome: new cookies, sessions, devices, records and emails. */
async function outcome(arrival: Arrival, arrive: (arrival: Arrival) => Promise<string>): Promise<string> {
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
  const set = ['refresh_token', 'device'].filter((name) => isNew(`__Host-${name}`));
  const began = after.live - before.live;
  return [
    response,
    `sessions ${began < 0 ? '' : '+'}${began}`,
    `devices ${after.devices - before.devices < 0 ? '' : '+'}${after.devices - before.devices}`,
    `sets ${set.join(', ') || 'nothing'}`,
    `records ${
      after.kinds
        .slice(0)
        .filter((kind) => !before.kinds.includes(kind) && !asked.has(kind))
        .toSorted()
        .join(', ') || 'nothing else'
    }`,
    `emails ${added(before.notices, after.notices).join(', ') || 'nothing'}`,
  ].join('; ');
}

/** Each method in the browser that registered, signed in or out, and in one that is new to the account. */
const rows: [method: string, state: string, device: 'known' | 'new', shared: boolean, comes: string][] = [
  [
    'password',
    'proven',
    'known',
    false,
    '200; sessions +0; devices +0; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'password',
    'proven',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records signed_in; emails new_device',
  ],
  [
    'password',
    'proven',
    'known',
    true,
    '200; sessions +0; devices -1; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'password',
    'proven',
    'new',
    true,
    '200; sessions +1; devices +0; sets refresh_token; records signed_in; emails new_device',
  ],
  [
    'password',
    'unproven',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records signed_in; emails nothing',
  ],
  [
    'password',
    'about to be deleted',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records deletion_taken_back, signed_in; emails deletion_canceled, new_device',
  ],
  [
    'password',
    'about to be deleted',
    'known',
    false,
    '200; sessions +1; devices +0; sets refresh_token; records deletion_taken_back, signed_in; emails deletion_canceled',
  ],
  [
    'password',
    'locked',
    'new',
    false,
    '422 email_cannot_be_used; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ],
  [
    'password',
    'given back to its owner',
    'new',
    false,
    '401 incorrect_login_or_password; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ],
  [
    'code',
    'given back to its owner',
    'known',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records signed_in; emails nothing',
  ],
  [
    'code',
    'proven',
    'known',
    false,
    '200; sessions +0; devices +0; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'code',
    'proven',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records signed_in; emails nothing',
  ],
  [
    'code',
    'proven',
    'known',
    true,
    '200; sessions +0; devices -1; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'code',
    'proven',
    'new',
    true,
    '200; sessions +1; devices +0; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'code',
    'unproven',
    'known',
    false,
    '200; sessions +0; devices +0; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'code',
    'unproven',
    'new',
    false,
    '200; sessions +0; devices +0; sets refresh_token, device; records signed_in; emails account_cleared',
  ],
  [
    'code',
    'about to be deleted',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records deletion_taken_back, signed_in; emails deletion_canceled',
  ],
  [
    'code',
    'locked',
    'new',
    false,
    '422 email_cannot_be_used; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ],
  [
    'passkey',
    'proven',
    'known',
    false,
    '200; sessions +0; devices +0; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'passkey',
    'proven',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records signed_in; emails new_device',
  ],
  [
    'passkey',
    'proven',
    'known',
    true,
    '200; sessions +0; devices -1; sets refresh_token; records signed_in; emails nothing',
  ],
  [
    'passkey',
    'unproven',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records signed_in; emails nothing',
  ],
  [
    'passkey',
    'about to be deleted',
    'new',
    false,
    '200; sessions +1; devices +1; sets refresh_token, device; records deletion_taken_back, signed_in; emails deletion_canceled, new_device',
  ],
  [
    'passkey',
    'locked',
    'new',
    false,
    '422 email_cannot_be_used; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ],
  [
    // The session that changed the address had added it.
    'passkey',
    'given back to its owner',
    'new',
    false,
    '401 passkey_unknown; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ],
  [
    'repeated registration',
    'unproven',
    'new',
    false,
    '201; sessions +1; devices +1; sets refresh_token, device; records signed_in; emails nothing',
  ],
  [
    'repeated registration',
    'about to be deleted',
    'new',
    false,
    '409 account_exists; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ],
  [
    'repeated registration',
    'locked',
    'new',
    false,
    '409 account_exists; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ],
  ...(
    [
      ['password', 'known', false],
      ['password', 'new', false],
      ['password', 'known', true],
      ['code', 'known', false],
      ['code', 'new', false],
      ['repeated registration', 'new', false],
    ] as const
  ).map(([method, device, shared]): (typeof rows)[number] => [
    method,
    'protected by a second step',
    device,
    shared,
    '401 second_step_required; sessions +0; devices +0; sets nothing; records nothing else; emails nothing',
  ]),
  [
    'recovery',
    'protected by a second step',
    'new',
    false,
    '204; sessions -1; devices -1; sets device; records password_reset; emails password_changed',
  ],
  [
    'recovery',
    'proven',
    'known',
    false,
    '204; sessions -1; devices +0; sets nothing; records password_reset; emails password_changed',
  ],
  [
    'recovery',
    'proven',
    'new',
    false,
    '204; sessions -1; devices +0; sets device; records password_reset; emails password_changed',
  ],
  [
    'recovery',
    'unproven',
    'new',
    false,
    '204; sessions -1; devices +0; sets device; records password_reset; emails password_changed',
  ],
  [
    'recovery',
    'about to be deleted',
    'new',
    false,
    '204; sessions +0; devices +0; sets device; records password_reset; emails password_changed',
  ],
];

describe.each(usualEngines)('admission, on %s,', (engine) => {
  const opened = openTestServer(engine);

  test.each(rows)(
    'by %s to an account that is %s, in a %s browser (shared: %s)',
    async (method, state, device, shared, comes) => {
      const server = await opened;
      const registration = form({ attempt: randomSecret(128) });
      const known = server.client();
      expect(statusAndCode(await known.post('/auth/register', registration))).toBe('201');
      const passkey = await addPasskey(known);
      const person = { server, email: String(registration.email), known, registration, passkey };
      await states[state]?.(person);
      const browser = device === 'known' ? known : server.client();
      expect(await outcome({ ...person, browser, shared }, methods[method] as (typeof methods)['code'])).toBe(comes);
      const isIn = /refresh_token/.test(comes);
      // The browser that registered keeps its session while its next sign-in waits for the second step.
      const keepsSession = device === 'known' && comes.startsWith('401 second_step_required');
      expect(statusAndCode(await browser.post('/auth/refresh'))).toMatch(isIn || keepsSession ? /^200/ : /^401/);
      // Emails are batched by the hour.
      server.forward(hours(1));
    },
  );
});
