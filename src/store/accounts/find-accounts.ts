import { sql } from 'kysely';
import type { Store } from '../database.ts';
import { type AccountsTable, emailKey, findAccount, findAccountByEmail } from './accounts.ts';

/** The account that an operator names by its address or id. */
export const accountByAddressOrId = (store: Store, named: string): Promise<AccountsTable | undefined> =>
  named.includes('@') ? findAccountByEmail(store, named) : findAccount(store, named);

/** Escapes the wildcards of `like`. */
const literally = (text: string): string => text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);

/** The account that had an address before a change, as far back as changes are stored. */
export const accountFormerlyAt = (store: Store, address: string) =>
  store
    .selectFrom('email_changes')
    .innerJoin('accounts', 'accounts.id', 'email_changes.account_id')
    .selectAll('accounts')
    .select('email_changes.changed_at')
    .where(sql<string>`lower(old_email)`, '=', emailKey(address))
    .where('email_changes.changed_at', 'is not', null)
    .orderBy('email_changes.changed_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/**
 * Accounts that match a text, the newest first. Looks up a complete address, including former ones, or an id; searches
 * for any other text in the address, name, organization and phone number of every account.
 */
export async function findAccounts(store: Store, { text, max }: { text: string; max: number }) {
  const named = await accountByAddressOrId(store, text);
  if (named) return [named];
  const former = text.includes('@') ? await accountFormerlyAt(store, text) : undefined;
  return former ? [former] : searchAccounts(store, { text, max });
}

/** Digits of a number as typed, and without what people dial first within their country (0, 8, 06) or abroad (00). */
const spellingsOf = (digits: string): readonly string[] =>
  [digits, ...[/^0+/, /^8/, /^06/].map((dialed) => digits.replace(dialed, ''))].filter(
    (one, at, all) => one.length >= 4 && all.indexOf(one) === at && (at === 0 || one.length >= 7),
  );

function searchAccounts(store: Store, { text, max }: { text: string; max: number }) {
  const lower = literally(text.toLowerCase());
  const phones = spellingsOf(text.replaceAll('(0)', '').replaceAll(/\D/g, ''));
  const has = (column: string, part: string) => sql<boolean>`lower(${sql.ref(column)}) like ${`%${part}%`} escape '\\'`;
  return store
    .selectFrom('accounts')
    .selectAll()
    .where((where) =>
      where.or([
        has('email_key', literally(text.includes('@') ? emailKey(text) : text.toLowerCase())),
        has('name', lower),
        // The database's `lower` may convert ASCII letters only.
        sql<boolean>`name like ${`%${literally(text)}%`} escape '\\'`,
        has('organization', lower),
        ...phones.map((digits) => where('phone', 'like', `%${digits}%`)),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(max)
    .execute();
}
