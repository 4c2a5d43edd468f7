import { type Refusing, refuse } from '../contract/refuse.ts';
import { ownerOf } from '../store/access/session-owner.ts';
import { type AccountsTable, lockAccountRow } from '../store/accounts/accounts.ts';
import type { StoreTransaction } from '../store/database.ts';

interface SignedIn {
  readonly endpoint: Refusing<'not_signed_in'>;
  readonly accountId: string;
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Locks the account's row for a change by a signed-in user, and returns the account as it is then. Refuses with
 * `not_signed_in` if the session has ended since the request began: the request may have waited for the hash gate or a
 * mail server while a reset, an operator or a deletion shut this browser out.
 */
export async function holdSignedIn(
  trx: StoreTransaction,
  { endpoint, accountId, sessionId, now }: SignedIn,
): Promise<AccountsTable> {
  await lockAccountRow(trx, accountId);
  const owner = await ownerOf(trx, { id: sessionId, now });
  if (owner?.id !== accountId) throw refuse(endpoint, 'not_signed_in');
  return owner;
}
