import { type Nullable, sql } from 'kysely';
import type { AccountsTable } from '../accounts/accounts.ts';
import type { Store } from '../database.ts';
import { type Placeholders, preparedWith } from '../prepared.ts';
import { deviceLifetime } from './devices.ts';
import { addressLock, deviceLock } from './lockouts.ts';

/** What is known of an attempt to sign in before anything is computed: whose it is, and which lock counts it. */
export interface SignInState {
  readonly account: AccountsTable | undefined;
  /** Whether the browser has signed in to this account before. */
  readonly known: boolean;
  readonly lock: string;
  /** When the lock opens (ms since the epoch), or 0 while it is open. */
  readonly lockedUntil: number;
}

interface SignInLookup {
  readonly emailKey: string;
  readonly emailHash: string;
  /** Hash of the browser's device token, if it has one. */
  readonly deviceHash: string | undefined;
  readonly now: number;
}

/** Nobody's device: a hash is never empty. */
const none = '';

interface AccountLookup extends Pick<SignInLookup, 'emailKey' | 'now'> {
  /** The address's. A known device's is put together by the database, as by `deviceLock`. */
  readonly lock: string;
  readonly deviceHash: string;
  /** Devices that were seen before this are forgotten. */
  readonly since: number;
}

const lookUp = preparedWith((_store, attempt: Placeholders<AccountLookup>) => {
  const { emailKey, lock, deviceHash, since, now } = attempt;
  return sql<Nullable<AccountsTable> & { readonly device_of: string | null; readonly lock_ends: number | null }>`
    select accounts.*, always.device_of, lockouts.locked_until as lock_ends
    from (
      select (
        select devices.account_id
        from devices inner join accounts as theirs on theirs.id = devices.account_id
        where devices.token_hash = ${deviceHash} and devices.last_seen_at > ${since} and theirs.email_key = ${emailKey}
      ) as device_of
    ) as always
    left join lockouts on lockouts.key =
      coalesce('device:' || always.device_of || ':' || cast(${deviceHash} as text), ${lock})
    left join accounts on accounts.email_key = ${emailKey} and coalesce(lockouts.locked_until, 0) <= ${now}`;
});

/**
 * Looks an attempt up without judging it. What the database is asked, and how many rows it reads, depends on the browser
 * and on the lock, never on whether there is an account: not even the time may tell. A known device has a lock of its
 * own, which no stranger can close.
 */
export async function findSignInState(
  store: Store,
  { emailKey, emailHash, deviceHash = none, now }: SignInLookup,
): Promise<SignInState> {
  const lock = addressLock(emailHash);
  const [found] = await lookUp(store, { emailKey, lock, deviceHash, since: now - deviceLifetime, now });
  if (!found) throw new Error('an attempt has a row in any case');
  const { device_of: owner, lock_ends: end, ...row } = found;
  return {
    account: row.id === null ? undefined : (row as AccountsTable),
    known: owner !== null,
    lock: owner === null ? lock : deviceLock(owner, deviceHash),
    lockedUntil: end !== null && end > now ? end : 0,
  };
}
