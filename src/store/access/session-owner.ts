import type { AccountsTable } from '../accounts/accounts.ts';
import type { Store } from '../database.ts';
import { preparedByKey } from '../prepared.ts';
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
    ])
    .where(isKey('sessions.id')),
);

/** The account of a session that is live at `now`, otherwise undefined. Nearly every request starts with this query. */
export async function ownerOf(store: Store, { id, now }: { id: string; now: number }) {
  const [owner] = await ownersOf(store, id);
  if (!owner || !isLive(owner, now)) return undefined;
  const account: AccountsTable = owner;
  return account;
}
