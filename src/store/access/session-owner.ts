import { sql } from 'kysely';
import { type Refusing, refuse } from '../../contract/failures.ts';
import type { Authentication } from '../../contract/sign-in/admission.ts';
import { type AccountsTable, lockAccountRow } from '../accounts/accounts.ts';
import { openLookup } from '../batching.ts';
import type { Store, StoreTransaction } from '../database.ts';
import type { Visitor } from '../visitor.ts';
import { isLive, type SessionsTable } from './sessions.ts';
import { authenticationOf } from './sign-in-lookup.ts';

interface OwnedSession
  extends AccountsTable,
    Pick<SessionsTable, 'ended_at' | 'expires_at' | 'rotated_at' | 'shared' | 'proven_at' | 'amr' | 'acr'> {
  readonly session_id: string;
  readonly signed_in_at: number;
}

// As text: nearly every request starts with it, and the query builder would take longer than the statement.
const ownersOf = openLookup<OwnedSession>(
  'session_id',
  (_store, isKey) => sql`
    select accounts.*, sessions.id as session_id, ended_at, expires_at, rotated_at, shared,
      sessions.created_at as signed_in_at, proven_at, amr, acr
    from sessions inner join accounts on accounts.id = sessions.account_id
    where ${isKey('sessions.id')}`,
);

/**
 * The account of a session that is live at `now`, with its authentication; otherwise undefined. Nearly every request
 * starts with this query.
 */
export async function sessionOwner(
  store: Store,
  { id, now }: { id: string; now: number },
): Promise<{ readonly account: AccountsTable; readonly authentication: Authentication } | undefined> {
  const [owner] = await ownersOf(store, id);
  if (!owner || !isLive(owner, now)) return undefined;
  return { account: owner, authentication: authenticationOf({ ...owner, created_at: owner.signed_in_at }) };
}

/** The account alone. */
export const ownerOf = async (store: Store, session: { id: string; now: number }): Promise<AccountsTable | undefined> =>
  (await sessionOwner(store, session))?.account;

interface SignedIn {
  readonly endpoint: Refusing<'not_signed_in'>;
  readonly accountId: string;
  readonly sessionId: string;
  readonly now: number;
}

/**
 * Locks the account's row for a change by a signed-in user, and returns the account as it is then. Refuses with
 * `not_signed_in` if the session has ended since the request began: the request may have waited for the hash gate or a
 * mail server while a reset, an operator or a deletion shut this browser out.
 */
export async function lockSignedInAccount(
  trx: StoreTransaction,
  { endpoint, accountId, sessionId, now }: SignedIn,
): Promise<AccountsTable> {
  await lockAccountRow(trx, accountId);
  const owner = await ownerOf(trx, { id: sessionId, now });
  if (owner?.id !== accountId) throw refuse(endpoint, 'not_signed_in');
  return owner;
}

/** The signed-in user of a change, whose account's row is locked (`mount.change`). */
export interface Owner {
  /** As it is in the transaction. */
  readonly account: AccountsTable;
  readonly accountId: string;
  readonly sessionId: string;
  readonly visitor: Visitor;
  /** When the transaction began (ms since the epoch). */
  readonly at: number;
}
