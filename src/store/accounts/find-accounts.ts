import { sql } from 'kysely';
import type { ProfileField } from '../../contract/account.ts';
import { addAuthenticator } from '../access/authenticators.ts';
import { addToGroups } from '../applications/account-groups.ts';
import { orderedId, type Store } from '../database.ts';
import { type AccountsTable, emailKey, findAccount, findAccountByEmail, newAccount } from './accounts.ts';
import { consentVersion } from './consents.ts';

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

export type ImportedAccount = Pick<
  AccountsTable,
  | 'id'
  | 'email'
  | 'email_proven_at'
  | 'name'
  | 'phone'
  | 'phone_confirmed_at'
  | ProfileField
  | 'locale'
  | 'password_hash'
  | 'created_at'
> & {
  /** The consent to offers by email, if known. */
  readonly offers: boolean | undefined;
  /** The secret of an authenticator app that the owner uses. */
  readonly totpSecret: Buffer | undefined;
  /** Valid names, each once. */
  readonly groups: readonly string[];
};

interface Import {
  readonly accounts: readonly ImportedAccount[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Seals a secret as `security/macs.ts` does. */
  readonly seal: (secret: Buffer) => string;
}

/** Adds accounts of another service in one transaction. Skips addresses that exist; returns how many it added. */
export async function importAccounts(store: Store, { accounts, now, seal }: Import): Promise<number> {
  if (accounts.length === 0) return 0;
  const rows = accounts.map(({ offers: _, totpSecret: _secret, groups: _groups, ...account }) => ({
    ...newAccount,
    ...account,
    email_key: emailKey(account.email),
    password_changed_at: account.created_at,
  }));
  return store.transaction().execute(async (trx) => {
    const added = await trx
      .insertInto('accounts')
      .values(rows)
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id')
      .execute();
    const ids = new Set(added.map(({ id }) => id));
    const consents = accounts
      .filter(({ id, offers }) => ids.has(id) && offers !== undefined)
      .map(({ id, locale, offers }) => ({
        id: orderedId(),
        account_id: id,
        kind: 'offers' as const,
        given: offers ? (1 as const) : (0 as const),
        version: consentVersion,
        document: null,
        locale,
        at: now,
      }));
    if (consents.length > 0) await trx.insertInto('consents').values(consents).execute();
    for (const { id, totpSecret } of accounts)
      if (totpSecret && ids.has(id)) await addAuthenticator(trx, { accountId: id, secret: seal(totpSecret), at: now });
    const memberships = accounts
      .filter(({ id }) => ids.has(id))
      .flatMap(({ id, groups }) => groups.map((group) => ({ accountId: id, group, at: now })));
    await addToGroups(trx, memberships);
    return added.length;
  });
}
