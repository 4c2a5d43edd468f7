import { describe, expect, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { accountParts } from '../server/wings.ts';
import { lockoutOfPassword } from '../store/access/lockouts.ts';
import { type AccountsTable, findAccountByEmail, setLock, setPassword } from '../store/accounts/accounts.ts';
import { planDeletion } from '../store/accounts/delete-account.ts';
import { setEmail } from '../store/accounts/email-changes.ts';
import type { StoreTransaction } from '../store/database.ts';
import type { Client, TestResponse } from '../testing/client.ts';
import { engines, overtake } from '../testing/databases/databases.ts';
import { addComputer, letPass, password, proveAddress, register } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import { shutOut } from './shut-out.ts';

/** What shuts the thief's browser out while its request waits. */
const rescues: Record<string, (trx: StoreTransaction, account: AccountsTable, at: number) => Promise<unknown>> = {
  'a reset': async (trx, account, at) => {
    await shutOut(trx, { account, cause: 'password_reset', at, parts: accountParts });
    await setPassword(trx, { accountId: account.id, hash: account.password_hash, at });
  },
  'a lock by an operator': async (trx, account, at) => {
    await setLock(trx, { accountId: account.id, at });
    await shutOut(trx, { account, cause: 'locked', at, parts: accountParts });
  },
  'a deletion': async (trx, account, at) => {
    await planDeletion(trx, { id: account.id, at: at + minutes(60) });
    await shutOut(trx, { account, cause: 'deletion_planned', at, parts: accountParts });
  },
  'a sign-out of all others': async (trx, account, at) => {
    await shutOut(trx, { account, cause: 'sessions_ended', at, parts: accountParts });
  },
};

const stolen = 'stones in the river';

/** Requests of a thief who knows the password and waits for the hash gate. */
const thefts: Record<string, (thief: Client) => Promise<TestResponse>> = {
  'a new address': (thief) => thief.post('/account/email', { email: 'thief@example.com', password }),
  'a code for a computer': (thief) => thief.post('/computers/enrolments', { password }),
  'a new password': (thief) =>
    thief.post('/account/password', { current_password: password, password: stolen, password_repeat: stolen }),
  'a deletion': (thief) => thief.send('DELETE', '/account', { body: { password } }),
};

const rows = Object.keys(thefts).flatMap((theft) => Object.keys(rescues).map((rescue) => [theft, rescue] as const));

/** Sends a request, and lets `rescue` commit while the request, which has read the account, waits for its lockout. */
async function overtaken(
  server: TestServer,
  { email, send, rescue }: { email: string; send: () => Promise<TestResponse>; rescue: (typeof rescues)[string] },
): Promise<TestResponse> {
  let request: Promise<TestResponse> | undefined;
  await server.store.transaction().execute(async (trx) => {
    const account = (await findAccountByEmail(trx, email)) as AccountsTable;
    await trx
      .insertInto('lockouts')
      .values({
        key: lockoutOfPassword(account.id),
        failures: 0,
        pending: 0,
        pending_since: 0,
        locked_until: 0,
        last_failure_at: 0,
      })
      .onConflict((row) => row.column('key').doUpdateSet({ pending: 0 }))
      .execute();
    request = send();
    while (server.gate.state().inside === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await rescue(trx, account, server.now());
  });
  return request as Promise<TestResponse>;
}

describe.each(engines)('a request that waits while the owner is rescued, on %s,', async (engine) => {
  const server = await openTestServer(engine, {}, { fullHashes: true });

  test.each(rows)('is refused and leaves nothing behind: %s after %s', async (theft, rescue) => {
    const { id, browser: thief, email } = await register(server);
    await proveAddress(server, { browser: thief, email });
    // A code for a computer needs the password again.
    await letPass(server, thief, minutes(16));
    const { password_changed_at } = (await findAccountByEmail(server.store, email)) as AccountsTable;
    const response = await overtaken(server, {
      email,
      send: () => (thefts[theft] as (typeof thefts)[string])(thief),
      rescue: rescues[rescue] as (typeof rescues)[string],
    });
    expect(response).toSay('401 not_signed_in');
    if (rescue !== 'a reset' && rescue !== 'a deletion')
      expect(await findAccountByEmail(server.store, email)).toMatchObject({ password_changed_at, delete_at: null });
    for (const table of ['email_changes', 'enrolments'] as const)
      expect(
        await server.store
          .selectFrom(table as 'enrolments')
          .where('account_id', '=', id)
          .selectAll()
          .execute(),
      ).toEqual([]);
  });

  test('does not remove a computer with its records', async () => {
    const { browser: thief, email } = await register(server);
    const { id } = await addComputer(server, thief);
    const removing = overtake(server.store, {
      async change(trx) {
        const account = (await findAccountByEmail(trx, email)) as AccountsTable;
        await rescues['a lock by an operator']?.(trx, account, server.now());
      },
      send: () => thief.send('DELETE', `/computers/${id}`, {}),
    });
    expect(await removing).toSay('401 not_signed_in');
    const computers = server.store.selectFrom('computers').select('id').where('id', '=', id);
    expect(await computers.execute()).toHaveLength(1);
  });

  test('does not prove an address that the account got meanwhile', async () => {
    const { id, browser, email } = await register(server);
    const [, hash] = /\/computers\/add\/\?hash=([\w-]+)/.exec((await server.mailTo(email)).text) ?? [];
    const next = `next-${email}`;
    const confirming = overtake(server.store, {
      change: (trx) => setEmail(trx, { id, email: next, provenAt: null }),
      send: () => browser.post('/account/email/confirm', { hash }),
    });
    expect(await confirming).toSay('410 confirmation_link_expired');
    expect(await findAccountByEmail(server.store, next)).toMatchObject({ email_proven_at: null });
  });
});
