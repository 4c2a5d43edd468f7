import { hasRow, type Store, type StoreTransaction } from '../database.ts';

/** A recovery code that has not been used. */
export interface RecoveryCodesTable {
  /** A keyed hash of the code and the account (`security/factors.ts`). */
  mac: string;
  account_id: string;
  created_at: number;
  /** The session that made it, which may have ended. */
  session_id: string;
}

declare module '../database.ts' {
  interface Database {
    recovery_codes: RecoveryCodesTable;
  }
}

export async function countRecoveryCodes(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('recovery_codes')
    .select((code) => code.fn.countAll<number | string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** When (ms since the epoch) the account's codes were made, all at once; null if none is left. */
export async function recoveryCodesMadeAt(store: Store, accountId: string): Promise<number | null> {
  const code = await store
    .selectFrom('recovery_codes')
    .select('created_at')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return code?.created_at ?? null;
}

interface NewRecoveryCodes {
  readonly accountId: string;
  readonly sessionId: string;
  /** Sealed key of the MACs. */
  readonly key: string;
  readonly macs: readonly string[];
  readonly at: number;
}

/** Replaces all codes of an account that has an authenticator. */
export async function replaceRecoveryCodes(
  trx: StoreTransaction,
  { accountId, sessionId, key, macs, at }: NewRecoveryCodes,
): Promise<void> {
  await removeRecoveryCodes(trx, accountId);
  await trx.updateTable('authenticators').set({ recovery_key: key }).where('account_id', '=', accountId).execute();
  await trx
    .insertInto('recovery_codes')
    .values(macs.map((mac) => ({ mac, account_id: accountId, created_at: at, session_id: sessionId })))
    .execute();
}

export const removeRecoveryCodes = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();

interface RemovedCodes {
  readonly accountId: string;
  readonly since: number;
  readonly sessions: readonly string[];
}

/** Removes the codes that were made at `since` or later, or in one of the sessions; someone else may have a copy. */
export const removeRecoveryCodesSince = (trx: StoreTransaction, { accountId, since, sessions }: RemovedCodes) =>
  trx
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where((row) => {
      const isAddedThere = sessions.length > 0 ? [row('session_id', 'in', sessions)] : [];
      return row.or([row('created_at', '>=', since), ...isAddedThere]);
    })
    .execute();

/** Uses up a code. True for exactly one of several parallel callers. */
export const consumeRecoveryCode = (
  store: Store,
  { accountId, mac }: { accountId: string; mac: string },
): Promise<boolean> =>
  hasRow(
    store.deleteFrom('recovery_codes').where('account_id', '=', accountId).where('mac', '=', mac).returning('mac'),
  );
