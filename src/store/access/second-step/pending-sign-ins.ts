import { minutes } from '../../../contract/durations.ts';
import type { Store, StoreTransaction } from '../../database.ts';

/** How long a sign-in waits for its second step. */
export const pendingSignInLifetime = minutes(10);

/** A sign-in whose first factor was right and is used up. */
export interface PendingSignInsTable {
  /** SHA-256 of the secret cookie of its browser. */
  token_hash: string;
  account_id: string;
  created_at: number;
  /** A name of `methods` in `access/methods.ts`. */
  method: string;
  shared: 0 | 1;
  db_type: string | null;
  /** SHA-256 of the browser's device token, if it had one. */
  device_hash: string | null;
  user_agent: string;
}

declare module '../../database.ts' {
  interface Database {
    pending_sign_ins: PendingSignInsTable;
  }
}

export const addPendingSignIn = (trx: StoreTransaction, pending: PendingSignInsTable) =>
  trx.insertInto('pending_sign_ins').values(pending).execute();

export const findPendingSignIn = (
  store: Store,
  { tokenHash, now }: { tokenHash: string; now: number },
): Promise<PendingSignInsTable | undefined> =>
  store
    .selectFrom('pending_sign_ins')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('created_at', '>', now - pendingSignInLifetime)
    .executeTakeFirst();

/** Consumes a pending sign-in. True for exactly one of several parallel callers. */
export async function consumePendingSignIn(
  trx: StoreTransaction,
  { tokenHash, now }: { tokenHash: string; now: number },
): Promise<boolean> {
  const consumed = await trx
    .deleteFrom('pending_sign_ins')
    .where('token_hash', '=', tokenHash)
    .where('created_at', '>', now - pendingSignInLifetime)
    .returning('token_hash')
    .executeTakeFirst();
  return consumed !== undefined;
}

/** Ends all pending sign-ins of an account. */
export const forgetPendingSignIns = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('pending_sign_ins').where('account_id', '=', accountId).execute();
