import { minutes } from '../../../contract/durations.ts';
import type { Store, StoreTransaction } from '../../database.ts';

/** How long a new secret waits for its first code. */
export const pendingSecretLifetime = minutes(10);

/** A secret that waits for its first code, also while an authenticator is in use. */
export interface PendingAuthenticatorsTable {
  /** The session that was shown the secret: no other session can confirm it. */
  session_id: string;
  account_id: string;
  /** Sealed (`security/key-encryption.ts`). */
  secret: string;
  created_at: number;
}

declare module '../../database.ts' {
  interface Database {
    pending_authenticators: PendingAuthenticatorsTable;
  }
}

/** Begins to add an authenticator, or to replace it; an earlier secret of the same session becomes void. */
export const setPendingSecret = (trx: StoreTransaction, { session_id, ...pending }: PendingAuthenticatorsTable) =>
  trx
    .insertInto('pending_authenticators')
    .values({ session_id, ...pending })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(pending))
    .execute();

/** The sealed secret that a session can confirm. */
export async function findPendingSecret(
  store: Store,
  { sessionId, now }: { sessionId: string; now: number },
): Promise<string | undefined> {
  const pending = await store
    .selectFrom('pending_authenticators')
    .select('secret')
    .where('session_id', '=', sessionId)
    .where('created_at', '>', now - pendingSecretLifetime)
    .executeTakeFirst();
  return pending?.secret;
}

/** Voids the unconfirmed secrets of all sessions of an account. */
export const forgetPendingSecrets = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('pending_authenticators').where('account_id', '=', accountId).execute();
