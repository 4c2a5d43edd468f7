import { forgetRemembered } from '../../store/access/devices.ts';
import { findAuthenticator, removeAuthenticator } from '../../store/access/second-step/authenticators.ts';
import { forgetPendingSecrets } from '../../store/access/second-step/pending-authenticators.ts';
import { pendingSignIns } from '../../store/access/second-step/pending-sign-ins.ts';
import { removeRecoveryCodes, removeRecoveryCodesSince } from '../../store/access/second-step/recovery-codes.ts';
import { stopRemoval } from '../../store/access/second-step/removals.ts';
import type { StoreTransaction } from '../../store/database.ts';

/** Removes the second step and everything that depends on it; true if there was one. Hold the account's row. */
export async function endSecondStep(trx: StoreTransaction, accountId: string): Promise<boolean> {
  await pendingSignIns.void(trx, accountId);
  await forgetPendingSecrets(trx, accountId);
  await stopRemoval(trx, accountId);
  await removeRecoveryCodes(trx, accountId);
  await forgetRemembered(trx, accountId);
  return removeAuthenticator(trx, accountId);
}

interface EndedSecondStep {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly sessions: readonly string[];
}

/**
 * Removes a second step that was set up at `since` or later, or in one of the sessions, and likewise recovery codes.
 * True if it removed the second step. Hold the account's row.
 */
export async function endSecondStepSince(trx: StoreTransaction, ended: EndedSecondStep): Promise<boolean> {
  const { accountId, since, sessions } = ended;
  const authenticator = await findAuthenticator(trx, accountId);
  if (!authenticator) return false;
  const { confirmed_at: confirmedAt, session_id: sessionId } = authenticator;
  const isOlder = confirmedAt !== null && confirmedAt < since;
  if (!isOlder || (sessionId && sessions.includes(sessionId))) return endSecondStep(trx, accountId);
  await removeRecoveryCodesSince(trx, ended);
  return false;
}
