import { minutes } from '../../../contract/durations.ts';
import type { Store, StoreTransaction } from '../../database.ts';

/** How long a new secret waits for its first code. */
export const pendingSecretLifetime = minutes(10);

/** The authenticator app of an account. Secrets are sealed (`security/key-encryption.ts`). */
export interface AuthenticatorsTable {
  account_id: string;
  /** Null until the first code confirms it. */
  secret: string | null;
  confirmed_at: number | null;
  /** The newest time step whose code was accepted: no code works twice. */
  last_step: number;
  /** A secret that waits for its first code, also while an earlier one is in use. */
  pending_secret: string | null;
  pending_at: number | null;
  /** Sealed key of the MACs of the recovery codes. A key of its own, because keys for signatures rotate. */
  recovery_key: string | null;
  /** The session that confirmed the secret, which may have ended; null if an older version did, or an import. */
  session_id: string | null;
}

declare module '../../database.ts' {
  interface Database {
    authenticators: AuthenticatorsTable;
  }
}

export const findAuthenticator = (store: Store, accountId: string): Promise<AuthenticatorsTable | undefined> =>
  store.selectFrom('authenticators').selectAll().where('account_id', '=', accountId).executeTakeFirst();

/** Begins to add an authenticator, or to replace it; an earlier secret that is not confirmed becomes void. */
export const setPendingSecret = (
  trx: StoreTransaction,
  { accountId, secret, at }: { accountId: string; secret: string; at: number },
) =>
  trx
    .insertInto('authenticators')
    .values({ account_id: accountId, last_step: 0, pending_secret: secret, pending_at: at })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ pending_secret: secret, pending_at: at }))
    .execute();

interface Confirmed {
  readonly accountId: string;
  readonly sessionId: string;
  /** Sealed; the code of this secret was right. */
  readonly secret: string;
  readonly step: number;
  readonly at: number;
}

/** Puts a pending secret into use; true for exactly one of several parallel callers. */
export async function confirmSecret(trx: StoreTransaction, confirmed: Confirmed): Promise<boolean> {
  const { accountId, sessionId: session_id, secret, step, at } = confirmed;
  const changed = await trx
    .updateTable('authenticators')
    .set({ secret, confirmed_at: at, last_step: step, pending_secret: null, pending_at: null, session_id })
    .where('account_id', '=', accountId)
    .where('pending_secret', '=', secret)
    .returning('account_id')
    .executeTakeFirst();
  if (changed) await setSecondStep(trx, { accountId, at });
  return changed !== undefined;
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
export async function acceptStep(store: Store, { accountId, secret, step }: AcceptedStep): Promise<boolean> {
  const accepted = await store
    .updateTable('authenticators')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('secret', '=', secret)
    // mutation: code-works-twice
    .where('last_step', '<', step)
    .returning('account_id')
    .executeTakeFirst();
  return accepted !== undefined;
}

/** Removes the authenticator; true if it was confirmed. */
export async function removeAuthenticator(trx: StoreTransaction, accountId: string): Promise<boolean> {
  const removed = await trx
    .deleteFrom('authenticators')
    .where('account_id', '=', accountId)
    .returning('confirmed_at')
    .executeTakeFirst();
  await setSecondStep(trx, { accountId, at: null });
  return removed !== undefined && removed.confirmed_at !== null;
}

/** Copies the state to the account's row, which every sign-in reads anyway. */
const setSecondStep = (trx: StoreTransaction, { accountId, at }: { accountId: string; at: number | null }) =>
  trx.updateTable('accounts').set({ second_step_at: at }).where('id', '=', accountId).execute();
