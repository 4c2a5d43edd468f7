import { openLookup } from '../batching.ts';
import type { Store } from '../database.ts';
import { type ConsentsTable, newestOf } from './consents.ts';

/** An account's consents, oldest first, each with why its emails bounce, if they do; one row if there is no consent. */
const detailsOf = openLookup('account', (store, isKey) =>
  store
    .selectFrom('accounts')
    .leftJoin('consents', 'consents.account_id', 'accounts.id')
    .leftJoin('unreachable_addresses as unreachable', 'unreachable.email_key', 'accounts.email_key')
    .selectAll('consents')
    .select(['accounts.id as account', 'unreachable.reason as unreachable'])
    .where(isKey('accounts.id'))
    .orderBy('consents.id'),
);

/** The details of an account besides its row, in one query. */
export async function accountDetails(store: Store, accountId: string) {
  const rows = await detailsOf(store, accountId);
  const answers = rows.filter((row): row is typeof row & ConsentsTable => row.id !== null);
  return { consents: newestOf(answers), isUnreachable: rows[0]?.unreachable != null };
}
