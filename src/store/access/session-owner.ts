import type { Authentication } from '../../contract/sign-in/authentication.ts';
import type { AccountsTable } from '../accounts/accounts.ts';
import type { Store } from '../database.ts';
import { preparedByKey } from '../prepared.ts';
import { authenticationOf } from './authentication.ts';
import { isLive } from './sessions.ts';

const ownersOf = preparedByKey('session_id', (store, isKey) =>
  store
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .select([
      'sessions.id as session_id',
      'sessions.ended_at',
      'sessions.expires_at',
      'sessions.rotated_at',
      'sessions.shared',
      'sessions.created_at as signed_in_at',
      'sessions.proven_at',
      'sessions.amr',
      'sessions.acr',
    ])
    .where(isKey('sessions.id')),
);

interface SessionOwner {
  readonly account: AccountsTable;
  readonly authentication: Authentication;
}

/**
 * The account of a session that is live at `now`, with its authentication; otherwise undefined. Nearly every request
 * starts with this query.
 */
export async function sessionOwner(
  store: Store,
  { id, now }: { id: string; now: number },
): Promise<SessionOwner | undefined> {
  const [owner] = await ownersOf(store, id);
  if (!owner || !isLive(owner, now)) return undefined;
  return { account: owner, authentication: authenticationOf({ ...owner, created_at: owner.signed_in_at }) };
}

/** The account alone. */
export const ownerOf = async (store: Store, session: { id: string; now: number }): Promise<AccountsTable | undefined> =>
  (await sessionOwner(store, session))?.account;
