import { sql } from 'kysely';
import { minutes } from '../../contract/units.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import { recentIn } from '../wrong-clock.ts';

/** The authenticator app of an account. Secrets are sealed (`security/macs.ts`). */
export interface AuthenticatorsTable {
  account_id: string;
  secret: string;
  confirmed_at: number;
  /** The newest time step whose code was accepted: no code works twice. */
  last_step: number;
  /** Sealed key of the MACs of the recovery codes. A key of its own, because keys for signatures rotate. */
  recovery_key: string | null;
  /** The session that confirmed the secret, which may have ended; null after an import. */
  session_id: string | null;
}

declare module '../database.ts' {
  interface Database {
    authenticators: AuthenticatorsTable;
    pending_authenticators: PendingAuthenticatorsTable;
  }
}

export const findAuthenticator = (store: Store, accountId: string): Promise<AuthenticatorsTable | undefined> =>
  store.selectFrom('authenticators').selectAll().where('account_id', '=', accountId).executeTakeFirst();

interface Confirmed {
  readonly accountId: string;
  readonly sessionId: string;
  /** Sealed; the code of this secret was right. */
  readonly secret: string;
  readonly step: number;
  readonly at: number;
}

/** Puts a secret into use; it replaces an earlier one. Lock the account's row before. */
export async function confirmSecret(trx: StoreTransaction, confirmed: Confirmed): Promise<void> {
  const { accountId, sessionId: session_id, secret, step, at } = confirmed;
  const inUse = { secret, confirmed_at: at, last_step: step, session_id };
  await trx
    .insertInto('authenticators')
    .values({ account_id: accountId, ...inUse })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(inUse))
    .execute();
  await setSecondStep(trx, { accountId, at });
}

/** Adds a confirmed authenticator of another service, for an import. */
export async function addAuthenticator(
  trx: StoreTransaction,
  { accountId, secret, at }: { accountId: string; secret: string; at: number },
): Promise<void> {
  await trx
    .insertInto('authenticators')
    .values({ account_id: accountId, secret, confirmed_at: at, last_step: 0 })
    .execute();
  await setSecondStep(trx, { accountId, at });
}

interface AcceptedStep {
  readonly accountId: string;
  /** Sealed, as it was when the code was compared. */
  readonly secret: string;
  readonly step: number;
}

/** Uses up a time step and those before it. True for exactly one of several parallel callers, on any node. */
export const acceptStep = (store: Store, { accountId, secret, step }: AcceptedStep): Promise<boolean> =>
  hasRow(
    store
      .updateTable('authenticators')
      .set({ last_step: step })
      .where('account_id', '=', accountId)
      .where('secret', '=', secret)
      .where('last_step', '<', step)
      .returning('account_id'),
  );

/** Removes the authenticator; true if there was one. */
export async function removeAuthenticator(trx: StoreTransaction, accountId: string): Promise<boolean> {
  const removed = await trx.deleteFrom('authenticators').where('account_id', '=', accountId).executeTakeFirstOrThrow();
  await setSecondStep(trx, { accountId, at: null });
  return removed.numDeletedRows > 0n;
}

/** Copies the state to the account's row, which every sign-in reads anyway. */
const setSecondStep = (trx: StoreTransaction, { accountId, at }: { accountId: string; at: number | null }) =>
  trx.updateTable('accounts').set({ second_step_at: at }).where('id', '=', accountId).execute();

/** How long a new secret waits for its first code. */
export const pendingSecretLifetime = minutes(10);

/** A secret that waits for its first code, also while an authenticator is in use. */
interface PendingAuthenticatorsTable {
  /** The session that was shown the secret: no other session can confirm it. */
  session_id: string;
  account_id: string;
  /** Sealed (`security/macs.ts`). */
  secret: string;
  created_at: number;
}

/** Begins to add an authenticator, or to replace it; an earlier secret of the same session becomes void. */
export const setPendingSecret = (trx: StoreTransaction, { session_id, ...pending }: PendingAuthenticatorsTable) =>
  trx
    .insertInto('pending_authenticators')
    .values({ session_id, ...pending })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(pending))
    .execute();

/** The sealed secret that a session can confirm; with `within`, only one shown in these milliseconds. */
export async function findPendingSecret(
  store: Store,
  { sessionId, now, within = pendingSecretLifetime }: { sessionId: string; now: number; within?: number },
): Promise<string | undefined> {
  const pending = await store
    .selectFrom('pending_authenticators')
    .select('secret')
    .where('session_id', '=', sessionId)
    .where(recentIn(sql.ref('created_at'), { now, within }))
    .executeTakeFirst();
  return pending?.secret;
}

/** Voids the unconfirmed secrets of all sessions of an account. */
export const forgetPendingSecrets = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('pending_authenticators').where('account_id', '=', accountId).execute();
