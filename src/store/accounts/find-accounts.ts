import { sql } from 'kysely';
import type { Store } from '../database.ts';
import { type AccountsTable, findAccount, findAccountByEmail } from './accounts.ts';
import { emailKey } from './email-key.ts';

/** The account of an address or an id, as an operator names it. */
export const accountCalled = (store: Store, called: string): Promise<AccountsTable | undefined> =>
  called.includes('@') ? findAccountByEmail(store, called) : findAccount(store, called);

/** What `like` would read as anything. */
const literally = (text: string): string => text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);

/** Accounts with a text in their address, name, organization or phone number, the newest first. Looks at every account. */
export async function findAccounts(store: Store, { text, most }: { text: string; most: number }) {
  const lower = literally(text.toLowerCase());
  const digits = text.replaceAll(/\D/g, '');
  const has = (column: string, part: string) => sql<boolean>`lower(${sql.ref(column)}) like ${`%${part}%`} escape '\\'`;
  return store
    .selectFrom('accounts')
    .selectAll()
    .where((where) =>
      where.or([
        where('id', '=', text),
        has('email_key', literally(text.includes('@') ? emailKey(text) : text.toLowerCase())),
        has('name', lower),
        // The database's own `lower` may know no letters but ASCII's.
        sql<boolean>`name like ${`%${literally(text)}%`} escape '\\'`,
        has('organization', lower),
        ...(digits.length >= 4 ? [where('phone', 'like', `%${digits}%`)] : []),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
}
