import { sql } from 'kysely';
import type { AccountsTable } from './accounts.ts';
import type { Store } from './database.ts';
import { deviceLifetime } from './devices.ts';
import { addressLock, deviceLock, lockedUntil } from './lockouts.ts';

/** What is known of an attempt to sign in before anything is computed: whose it is, and which lock counts it. */
export interface Approach {
  readonly account: AccountsTable | undefined;
  /** Whether the browser has signed in to this account before. */
  readonly known: boolean;
  readonly lock: string;
  /** When the lock opens (ms since the epoch), or 0 while it is open. */
  readonly lockedUntil: number;
}

interface Attempt {
  readonly emailKey: string;
  readonly emailHash: string;
  /** Hash of the browser's device token, if it has one. */
  readonly deviceHash: string | undefined;
  readonly now: number;
}

/**
 * Looks an attempt up without judging it. What the database is asked depends on the browser and on the lock, never on
 * whether there is an account: not even the time may tell. A known device has a lock of its own, which no stranger can close.
 */
export async function approach(store: Store, { emailKey, emailHash, deviceHash, now }: Attempt): Promise<Approach> {
  const accounts =
    deviceHash === undefined ? [] : await accountsOfDevice(store, { deviceHash, since: now - deviceLifetime });
  const own = accounts.find(({ email_key }) => email_key === emailKey);
  const lock = own && deviceHash ? deviceLock(own.account_id, deviceHash) : addressLock(emailHash);
  const until = await lockedUntil(store, lock, now);
  const account = until > 0 ? undefined : await accountOrNothing(store, emailKey);
  return { account, known: own !== undefined, lock, lockedUntil: until };
}

const accountsOfDevice = (store: Store, { deviceHash, since }: { deviceHash: string; since: number }) =>
  store
    .selectFrom('devices')
    .innerJoin('accounts', 'accounts.id', 'devices.account_id')
    .select(['devices.account_id', 'accounts.email_key'])
    .where('devices.token_hash', '=', deviceHash)
    .where('devices.last_seen_at', '>', since)
    .execute();

/** One row in either case: to read none takes less time. */
async function accountOrNothing(store: Store, key: string): Promise<AccountsTable | undefined> {
  const row = await store
    .selectFrom(sql<{ one: number }>`(select 1 as one)`.as('always'))
    .leftJoin('accounts', (join) => join.on('accounts.email_key', '=', key))
    .selectAll('accounts')
    .executeTakeFirst();
  return row?.id ? (row as AccountsTable) : undefined;
}
