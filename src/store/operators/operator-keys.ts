import type { KeyRole } from '../../contract/operators.ts';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';

/** Keys of the management API. Only their hashes are stored. */
export interface OperatorKeysTable {
  id: string;
  hash: string;
  name: string;
  role: KeyRole;
  /** Ranges of addresses (CIDR), separated by commas; empty for any address. */
  addresses: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  last_used_at: number | null;
  /** The account of the operator who added it; null for the command line. */
  added_by: string | null;
}

declare module '../database.ts' {
  interface Database {
    operator_keys: OperatorKeysTable;
  }
}

/** A key that is neither revoked nor expired. */
const usable = (store: Store, now: number) =>
  store.selectFrom('operator_keys').selectAll().where('revoked_at', 'is', null).where('expires_at', '>', now);

export const keyWithHash = (store: Store, { hash, now }: { hash: string; now: number }) =>
  usable(store, now).where('hash', '=', hash).executeTakeFirst();

/** The same by its id; nobody can revoke it until the transaction ends. */
export const holdKey = (trx: StoreTransaction, { id, now }: { id: string; now: number }) =>
  usable(trx, now)
    .where('id', '=', id)
    .$if(engineOf(trx) === 'postgres', (row) => row.forShare())
    .executeTakeFirst();

export const addKeyRow = (trx: StoreTransaction, key: OperatorKeysTable) =>
  trx.insertInto('operator_keys').values(key).execute();

/** Revokes a key; undefined if there is none with this id that works. */
export const revokeKeyRow = (trx: StoreTransaction, { id, at }: { id: string; at: number }) =>
  trx
    .updateTable('operator_keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .executeTakeFirst();

/** Revokes the keys that an operator added at a time (ms since the epoch) or later. */
export const revokeKeysAddedBy = (
  trx: StoreTransaction,
  { accountId, since, at }: { accountId: string; since: number; at: number },
) =>
  trx
    .updateTable('operator_keys')
    .set({ revoked_at: at })
    .where('added_by', '=', accountId)
    .where('created_at', '>=', since)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();

/** All keys, the newest first: there are few. */
export const listKeys = (store: Store) =>
  store.selectFrom('operator_keys').selectAll().orderBy('created_at', 'desc').orderBy('id').execute();

export const markKeyUsed = (store: Store, { id, at }: { id: string; at: number }) =>
  store.updateTable('operator_keys').set({ last_used_at: at }).where('id', '=', id).execute();
