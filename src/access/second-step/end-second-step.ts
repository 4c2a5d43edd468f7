import { forgetRemembered } from '../../store/access/devices.ts';
import { findAuthenticator, removeAuthenticator } from '../../store/access/second-step/authenticators.ts';
import { forgetPendingSignIns } from '../../store/access/second-step/pending-sign-ins.ts';
import { removeRecoveryCodes, removeRecoveryCodesSince } from '../../store/access/second-step/recovery-codes.ts';
import { stopRemoval } from '../../store/access/second-step/removals.ts';
import type { StoreTransaction } from '../../store/database.ts';

/** Removes the second step and everything that depends on it; true if there was one. Hold the account's row. */
export async function endSecondStep(trx: StoreTransaction, accountId: string): Promise<boolean> {
  await forgetPendingSignIns(trx, accountId);
  await stopRemoval(trx, accountId);
  await removeRecoveryCodes(trx, accountId);
  await forgetRemembered(trx, accountId);
  return removeAuthenticator(trx, accountId);
}

/**
 * Removes a second step that was set up at `since` (milliseconds since the epoch) or later, and recovery codes that were
 * made then. Hold the account's row.
 */
export async function endSecondStepSince(
  trx: StoreTransaction,
  { accountId, since }: { accountId: string; since: number },
): Promise<void> {
  const authenticator = await findAuthenticator(trx, accountId);
  if (!authenticator) return;
  const isOlder = authenticator.confirmed_at !== null && authenticator.confirmed_at < since;
  if (isOlder) await removeRecoveryCodesSince(trx, { accountId, since });
  else await endSecondStep(trx, accountId);
}
