import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { days } from '../../contract/units.ts';
import { emailKey } from '../accounts/accounts.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import { countAdditionalHits, limitKey, rateLimitsFreeAt } from '../rate-limits.ts';

/** The address does not exist, or its owner complained about our emails. */
export const suppressionReasons = ['no_such_address', 'complaint'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** An address that gets no more emails until someone proves that they read it. */
interface SuppressedAddressesTable {
  /** `emailKey(email)`. */
  email_key: string;
  /** The address as in the account. */
  email: string;
  reason: SuppressionReason;
  /** The reporter: our mail server (`smtp`), a report from another one (`dsn`), or the relay's name. */
  told_by: string;
  /** The reporter's text, truncated. */
  detail: string;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    unreachable_addresses: SuppressedAddressesTable;
  }
}

const longestDetail = 500;

/**
 * Suppresses an account's address; keeps the last of several reasons. False if no account has it: a later registration
 * with it would never get its emails.
 */
export async function suppressAddress(
  store: Store,
  { email, reason, told_by, detail, at }: Omit<SuppressedAddressesTable, 'email_key'>,
): Promise<boolean> {
  const entry = { reason, told_by, detail: detail.slice(0, longestDetail), at };
  const suppressed = await store
    .insertInto('unreachable_addresses')
    .columns(['email_key', 'email', 'reason', 'told_by', 'detail', 'at'])
    .expression((known) =>
      known
        .selectFrom('accounts')
        .select([
          'email_key',
          'email',
          sql<SuppressionReason>`cast(${reason} as text)`.as('reason'),
          sql<string>`cast(${told_by} as text)`.as('told_by'),
          sql<string>`cast(${entry.detail} as text)`.as('detail'),
          sql<number>`cast(${at} as bigint)`.as('at'),
        ])
        .where('email_key', '=', emailKey(email)),
    )
    .onConflict((conflict) => conflict.column('email_key').doUpdateSet(entry))
    .returning('email_key')
    .executeTakeFirst();
  return suppressed !== undefined;
}

/** Addresses in one statement; SQLite accepts 32,766 parameters. */
const addressesPerStatement = 5000;

/** Returns those of these addresses that have an account, as keys (`emailKey`). */
export async function addressesOfAccounts(store: Store, emails: readonly string[]): Promise<ReadonlySet<string>> {
  const keys = [...new Set(emails.map(emailKey))];
  const known = new Set<string>();
  for (let at = 0; at < keys.length; at += addressesPerStatement) {
    const some = keys.slice(at, at + addressesPerStatement);
    const rows = await store.selectFrom('accounts').select('email_key').where('email_key', 'in', some).execute();
    for (const { email_key: key } of rows) known.add(key);
  }
  return known;
}

export const findSuppressed = (store: Store, email: string): Promise<SuppressedAddressesTable | undefined> =>
  store.selectFrom('unreachable_addresses').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst();

interface Addressed {
  readonly recipient: string;
}

/** Returns a function that says whether a message's address is suppressed. */
export async function suppressedAmong(
  store: Store,
  messages: readonly Addressed[],
): Promise<(message: Addressed) => boolean> {
  if (messages.length === 0) return () => false;
  const keys = messages.map(({ recipient }) => emailKey(recipient));
  const found = await store
    .selectFrom('unreachable_addresses')
    .select('email_key')
    .where('email_key', 'in', keys)
    .execute();
  const unreachable = new Set(found.map(({ email_key: key }) => key));
  return ({ recipient }) => unreachable.has(emailKey(recipient));
}

/** Removes an address from the list; false if it was not on it. */
export const unsuppressAddress = (store: Store, email: string): Promise<boolean> =>
  hasRow(store.deleteFrom('unreachable_addresses').where('email_key', '=', emailKey(email)).returning('email_key'));

/** The whole list, the newest first, each with the account that has the address. */
export const listSuppressed = (store: Store) =>
  store
    .selectFrom('unreachable_addresses')
    .leftJoin('accounts', 'accounts.email_key', 'unreachable_addresses.email_key')
    .selectAll('unreachable_addresses')
    .select('accounts.id as account_id')
    .orderBy('unreachable_addresses.at', 'desc')
    .execute();

interface SuppressedPage {
  /** The last address of the page before. */
  readonly after: { readonly at: number; readonly email_key: string } | undefined;
  readonly limit: number;
}

/** A page of the list, the newest first. */
export const pageOfSuppressed = (store: Store, { after, limit }: SuppressedPage) =>
  store
    .selectFrom('unreachable_addresses as gone')
    .leftJoin('accounts', 'accounts.email_key', 'gone.email_key')
    .select(['gone.email_key', 'gone.email', 'gone.at', 'gone.reason', 'gone.told_by', 'gone.detail'])
    .select('accounts.id as account_id')
    .$if(after !== undefined, (rows) =>
      rows.where(sql<boolean>`(gone.at, gone.email_key) < (${after?.at}, ${after?.email_key})`),
    )
    .orderBy('gone.at', 'desc')
    .orderBy('gone.email_key', 'desc')
    .limit(limit)
    .execute();

export async function countSuppressed(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('unreachable_addresses')
    .select((row) => row.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Emails of each limit per day to an address that nobody has proven, from all accounts that have or had it. */
const aDay = 10;

/** Undo links have a limit of their own, so that no other notice can use it up and keep a theft secret. */
export type UnprovenLimit = 'notices-to' | 'undo-links-to';

/**
 * Counts a notice to an address that its account has not proven; false if the address got too many today. It may be a
 * stranger's, and accounts can be registered and deleted in turn.
 */
export async function countUnprovenNotice(
  trx: StoreTransaction,
  { email, limit: name, at }: { readonly email: string; readonly limit: UnprovenLimit; readonly at: number },
): Promise<boolean> {
  const key = limitKey(name, createHash('sha256').update(emailKey(email)).digest('base64url'));
  if ((await rateLimitsFreeAt(trx, [{ key, limit: aDay, within: days(1) }], at)) > at) return false;
  await countAdditionalHits(trx, { key, times: 1, at });
  return true;
}
