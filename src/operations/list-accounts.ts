import { iso, isoOrNull } from '../contract/units.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { findAccounts } from '../store/accounts/find-accounts.ts';
import { type AccountFilter, accountsWhere } from '../store/accounts/list-accounts.ts';
import type { Store } from '../store/database.ts';
import { cursorOf, readCursor } from './deliveries.ts';

export type { AccountFilter } from '../store/accounts/list-accounts.ts';

interface AccountsPage {
  readonly items: readonly ReturnType<typeof describe>[];
  /** For the next page; undefined after the last. */
  readonly next: string | undefined;
}

interface PageQuery {
  readonly filter: AccountFilter;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of the accounts that match, the newest first. Throws a `RangeError` if the cursor is not one of ours. */
export async function listAccounts(store: Store, { filter, cursor, limit }: PageQuery): Promise<AccountsPage> {
  const from = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && !from) throw new RangeError('not a cursor of this list');
  const after = from && { created_at: from.at, id: from.key };
  const found = await accountsWhere(store, { filter, after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { items: page.map(describe), next: last && cursorAfter(last) };
}

/** A page of the accounts that match a text (`store/accounts/find-accounts.ts`). */
export async function findListed(store: Store, search: Parameters<typeof findAccounts>[1]): Promise<AccountsPage> {
  const { accounts, next } = await findAccounts(store, search);
  return { items: accounts.map(describe), next };
}

/** The cursor of the page that begins after an account. */
export const cursorAfter = ({ created_at, id }: Pick<AccountsTable, 'created_at' | 'id'>): string =>
  cursorOf(created_at, id);

/** What lists show of an account. */
const describe = (account: AccountsTable) => ({
  id: account.id,
  email: account.email,
  name: account.name,
  phone: account.phone,
  locale: account.locale,
  created_at: iso(account.created_at),
  email_proven_at: isoOrNull(account.email_proven_at),
  phone_confirmed_at: isoOrNull(account.phone_confirmed_at),
  second_step_at: isoOrNull(account.second_step_at),
  locked_at: isoOrNull(account.locked_at),
  delete_at: isoOrNull(account.delete_at),
});
