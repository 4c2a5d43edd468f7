import { domainToASCII } from 'node:url';
import type { Insertable } from 'kysely';
import { type Profile, type ProfileField, profileIn } from '../../contract/account.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { openLookup } from '../batching.ts';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';
import { recordEvent } from '../webhooks/record-event.ts';
import { type ConsentsTable, newestOf } from './consents.ts';

export interface AccountsTable extends Profile {
  id: string;
  /** Normalized (`contract/fields/fields.ts`), but in the case as typed before the @. All emails go to it. */
  email: string;
  /** `emailKey(email)`, unique. */
  email_key: string;
  /** When the owner proved that they read the address's email; null while anyone may have entered the address. */
  email_proven_at: number | null;
  name: string;
  phone: string;
  phone_confirmed_at: number | null;
  promo_code: string | null;
  locale: LanguageCode;
  db_type: string | null;
  /** Time zone (IANA) of the last browser that signed in. Emails give times in it besides UTC. */
  time_zone: string | null;
  last_place: string | null;
  password_hash: string;
  password_changed_at: number;
  created_at: number;
  /**
   * Hash of the registration with its idempotency key, to recognize a repeated request; null for all other accounts.
   */
  registration_attempt: string | null;
  /** 1 if the owner wants emails about sign-ins on new devices. */
  mail_new_device: 0 | 1;
  /** When all data of the account will be deleted, unless its owner signs in before. */
  delete_at: number | null;
  /** When an operator locked the account; null if it is not locked. */
  locked_at: number | null;
  /** When an authenticator was confirmed; null if sign-ins need no second step. */
  second_step_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    accounts: AccountsTable;
  }
}

export const findAccountByEmail = (store: Store, email: string): Promise<AccountsTable | undefined> =>
  store.selectFrom('accounts').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst();

const accountsById = openLookup('id', (store, isKey) => store.selectFrom('accounts').selectAll().where(isKey('id')));

export const findAccount = async (store: Store, id: string): Promise<AccountsTable | undefined> =>
  (await accountsById(store, id))[0];

/** Columns with a first value; nullable ones begin as null. */
export const newAccount = { mail_new_device: 1 } as const satisfies Partial<AccountsTable>;

/** Adds an account and returns it; undefined if its email is taken, even by a concurrent registration. */
export async function addAccount(
  trx: StoreTransaction,
  account: Omit<Insertable<AccountsTable>, 'email_key' | keyof typeof newAccount>,
): Promise<AccountsTable | undefined> {
  return trx
    .insertInto('accounts')
    .values({ ...newAccount, ...account, email_key: emailKey(account.email) })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Replaces a hash with a stronger one of the same password, unless the password changed meanwhile. */
export const replacePasswordHash = (
  store: Store,
  { accountId, from, to }: { accountId: string; from: string; to: string },
) =>
  store
    .updateTable('accounts')
    .set({ password_hash: to })
    .where('id', '=', accountId)
    .where('password_hash', '=', from)
    .execute();

export const setPassword = (
  trx: StoreTransaction,
  { accountId, hash, at }: { accountId: string; hash: string; at: number },
) =>
  trx
    .updateTable('accounts')
    .set({ password_hash: hash, password_changed_at: at })
    .where('id', '=', accountId)
    .execute();

/** Locks the account from `at` (ms since the epoch), or unlocks it if `at` is null. */
export const setLock = (trx: StoreTransaction, { accountId, at }: { accountId: string; at: number | null }) =>
  trx.updateTable('accounts').set({ locked_at: at }).where('id', '=', accountId).execute();

/**
 * Makes other transactions that change the same account wait until this one ends. Every transaction that changes an
 * account calls this first, so that all take their locks in the same order and never deadlock.
 */
export async function lockAccountRow(trx: StoreTransaction, id: string): Promise<void> {
  // In SQLite, a write transaction is exclusive from its beginning.
  if (engineOf(trx) === 'sqlite') return;
  await trx.selectFrom('accounts').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** The same, and returns the account as it is then; undefined if it is deleted. */
export async function lockAndFindAccount(trx: StoreTransaction, id: string): Promise<AccountsTable | undefined> {
  await lockAccountRow(trx, id);
  return findAccount(trx, id);
}

/**
 * Locks the row as `lockAccountRow` does, if its password has not changed since it was read. Returns the fields that may
 * have changed since, or undefined.
 */
export const lockUnchangedAccount = (
  trx: StoreTransaction,
  read: Pick<AccountsTable, 'id' | 'password_changed_at'>,
): Promise<Pick<AccountsTable, 'delete_at' | 'locked_at' | 'second_step_at'> | undefined> =>
  trx
    .selectFrom('accounts')
    .select(['delete_at', 'locked_at', 'second_step_at'])
    .where('id', '=', read.id)
    .where('password_changed_at', '=', read.password_changed_at)
    // `for no key update`, so that new sessions, which reference the account, need not wait for each other.
    .$if(engineOf(trx) === 'postgres', (account) => account.forNoKeyUpdate())
    .executeTakeFirst();

/** Records that the owner reads the address's email, so it is theirs, and reachable. */
export async function proveEmail(store: Store, { accountId, at }: { accountId: string; at: number }): Promise<void> {
  const proven = await store
    .updateTable('accounts')
    .set({ email_proven_at: at })
    .where('id', '=', accountId)
    .where('email_proven_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  await store
    .deleteFrom('unreachable_addresses')
    .where('email_key', '=', (key) => key.selectFrom('accounts').select('email_key').where('id', '=', accountId))
    .execute();
  if (proven) await recordEvent(store, { type: 'account.changed', accountId, at });
}

/** The fields that owners change themselves. */
export type ProfileChanges = Partial<
  Pick<AccountsTable, 'name' | ProfileField | 'locale' | 'time_zone' | 'mail_new_device'>
>;

export const changeAccount = (trx: StoreTransaction, accountId: string, changes: ProfileChanges) =>
  trx.updateTable('accounts').set(changes).where('id', '=', accountId).execute();

export const setPhone = (
  trx: StoreTransaction,
  { accountId, phone, confirmedAt }: { accountId: string; phone: string; confirmedAt: number | null },
) => trx.updateTable('accounts').set({ phone, phone_confirmed_at: confirmedAt }).where('id', '=', accountId).execute();

export const setLastPlace = (store: Store, accountId: string, place: string) =>
  store.updateTable('accounts').set({ last_place: place }).where('id', '=', accountId).execute();

/** Sets the time zone of the browser that has just signed in, unless the account has one. */
export const setTimeZone = (trx: StoreTransaction, { accountId, timeZone }: { accountId: string; timeZone: string }) =>
  trx
    .updateTable('accounts')
    .set({ time_zone: timeZone })
    .where('id', '=', accountId)
    .where('time_zone', 'is', null)
    .execute();

/** Sets the label from a sign-in or registration; it never changes what the server does. */
export const setDbType = (trx: StoreTransaction, accountId: string, dbType: string) =>
  trx.updateTable('accounts').set({ db_type: dbType }).where('id', '=', accountId).execute();

/** Clears the entries of someone who never proved the address. */
export const clearProfile = (trx: StoreTransaction, accountId: string) =>
  trx
    .updateTable('accounts')
    .set({
      ...newAccount,
      name: '',
      phone: '',
      phone_confirmed_at: null,
      ...profileIn({}),
      promo_code: null,
      db_type: null,
      time_zone: null,
      last_place: null,
    })
    .where('id', '=', accountId)
    .execute();

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

/**
 * The normalized address that identifies an account: in lower case by Unicode's rules, regardless of locale (a Turkish
 * server must produce the same key), and composed (NFC).
 */
export function emailKey(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at).normalize('NFC').toLowerCase().normalize('NFC');
  // Full-width letters and punycode are other spellings of the same domain (UTS #46).
  const domain = email
    .slice(at + 1)
    .normalize('NFKC')
    .toLowerCase();
  return `${local}@${domainToASCII(domain) || domain}`;
}
