import { sql } from 'kysely';
import { minutes } from '../../contract/units.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import { singleUse } from '../single-use.ts';
import { recentIn } from '../wrong-clock.ts';

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

declare module '../database.ts' {
  interface Database {
    pending_sign_ins: PendingSignInsTable;
    second_step_removals: SecondStepRemovalsTable;
  }
}

export const pendingSignIns = singleUse('pending_sign_ins', { lifetime: pendingSignInLifetime, keeps: false });

/** The requested removal of a lost second step. Deleted when it takes effect, or when someone stops it. */
interface SecondStepRemovalsTable {
  account_id: string;
  /** SHA-256 of the secret in the email's link, which stops the removal. */
  token_hash: string;
  requested_at: number;
  due_at: number;
}

/** When (ms since the epoch) the requested removal takes effect; null if there is none. */
export async function removalDueAt(store: Store, accountId: string): Promise<number | null> {
  const removal = await store
    .selectFrom('second_step_removals')
    .select('due_at')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return removal?.due_at ?? null;
}

/** When the first of the sign-ins began (ms since the epoch) that wait for the second step now. */
export async function signInPendingSince(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<number | undefined> {
  const pending = await store
    .selectFrom('pending_sign_ins')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where(recentIn(sql.ref('created_at'), { now, within: pendingSignInLifetime }))
    .orderBy('created_at')
    .executeTakeFirst();
  return pending?.created_at;
}

/** Plans a removal, unless one is planned. Lock the account's row before. */
export const addRemoval = (trx: StoreTransaction, removal: SecondStepRemovalsTable) =>
  trx
    .insertInto('second_step_removals')
    .values(removal)
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();

/** The account of the link in an email about a planned removal. */
export async function accountOfRemoval(store: Store, tokenHash: string): Promise<string | undefined> {
  const removal = await store
    .selectFrom('second_step_removals')
    .select('account_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  return removal?.account_id;
}

/** Stops the removal; true if one was planned. Lock the account's row before. */
export const stopRemoval = (trx: StoreTransaction, accountId: string): Promise<boolean> =>
  hasRow(trx.deleteFrom('second_step_removals').where('account_id', '=', accountId).returning('account_id'));

/** Up to `max` accounts whose removal is due. */
export const dueRemovals = (store: Store, { now, max }: { now: number; max: number }) =>
  store
    .selectFrom('second_step_removals')
    .select('account_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(max)
    .execute();

/** Consumes a due removal. True for exactly one of several nodes, and for none after it was stopped. */
export const consumeDueRemoval = (
  trx: StoreTransaction,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> =>
  hasRow(
    trx
      .deleteFrom('second_step_removals')
      .where('account_id', '=', accountId)
      .where('due_at', '<=', now)
      .returning('account_id'),
  );
