import type { Store, StoreTransaction } from '../../store/database.ts';

/** A key with which several computers add themselves to an account. */
export interface EnrolmentKeysTable {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the key. */
  key_hash: string;
  /** Tags that its computers get: a JSON array of strings. */
  tags: string;
  /** Where it works, in CIDR notation: a JSON array of strings; everywhere if empty. */
  networks: string;
  max_uses: number;
  uses: number;
  created_at: number;
  /** A revocation brings it forward. */
  expires_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

declare module '../../store/database.ts' {
  interface Database {
    enrolment_keys: EnrolmentKeysTable;
  }
}

export const addEnrolmentKey = (
  trx: StoreTransaction,
  key: Omit<EnrolmentKeysTable, 'uses' | 'last_used_at' | 'revoked_at'>,
): Promise<EnrolmentKeysTable> =>
  trx
    .insertInto('enrolment_keys')
    .values({ ...key, uses: 0, last_used_at: null, revoked_at: null })
    .returningAll()
    .executeTakeFirstOrThrow();

/** An account's keys, the newest first. */
export const enrolmentKeysOf = (store: Store, accountId: string): Promise<EnrolmentKeysTable[]> =>
  store
    .selectFrom('enrolment_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();

export const findEnrolmentKey = (store: Store, keyHash: string): Promise<EnrolmentKeysTable | undefined> =>
  store.selectFrom('enrolment_keys').selectAll().where('key_hash', '=', keyHash).executeTakeFirst();

/** Counts a use, in one statement: the last one succeeds for exactly one computer. False if the key no longer works. */
export async function useEnrolmentKey(
  trx: StoreTransaction,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  const used = await trx
    .updateTable('enrolment_keys')
    .set(({ eb }) => ({ uses: eb('uses', '+', 1), last_used_at: now }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('uses', '<', 'max_uses')
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

interface Revocation {
  readonly accountId: string;
  /** Only this key; otherwise all of the account. */
  readonly id?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Revokes keys that still worked. Returns their number. */
export async function revokeEnrolmentKeys(trx: StoreTransaction, { accountId, id, at }: Revocation): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('enrolment_keys')
    .set({ revoked_at: at, expires_at: at })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .$if(id !== undefined, (query) => query.where('id', '=', id as string))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
