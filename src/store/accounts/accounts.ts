import type { Expression, Insertable } from 'kysely';
import { type Profile, type ProfileField, profileIn } from '../../contract/fields/profile.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';
import { type Placeholders, prepared, preparedByKey, preparedWith } from '../prepared.ts';
import { emailKey } from './email-key.ts';

export interface AccountsTable extends Profile {
  id: string;
  /** In its one spelling (`contract/fields/email-address.ts`), the case before the @ as typed: the only address that mail goes to. */
  email: string;
  /** `emailKey(email)`, unique. */
  email_key: string;
  /** When whoever has the account was shown to read its mail; null as long as anybody may have entered the address. */
  email_proven_at: number | null;
  name: string;
  /** E.164. */
  phone: string;
  phone_confirmed_at: number | null;
  promo_code: string | null;
  locale: LanguageCode;
  db_type: string | null;
  /** Of the browser that signed in last (IANA); what moments are told in besides UTC. */
  time_zone: string | null;
  last_place: string | null;
  password_hash: string;
  password_changed_at: number;
  created_at: number;
  /** A hash of the registration that made it, with what its page sends again when no answer came; null of all others. */
  registration_attempt: string | null;
  /** 1 as long as sign-ins on new devices are told by mail. */
  mail_new_device: 0 | 1;
  /** When everything of the account is deleted, unless its owner signs in before. */
  delete_at: number | null;
  /** Since when an operator lets nobody in; null while whoever knows the password may come. */
  locked_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    accounts: AccountsTable;
  }
}

const accountsAt = prepared((store, key: Expression<string>) =>
  store.selectFrom('accounts').selectAll().where('email_key', '=', key),
);

export const findAccountByEmail = async (store: Store, email: string): Promise<AccountsTable | undefined> =>
  (await accountsAt(store, emailKey(email)))[0];

const accountsCalled = preparedByKey('id', (store, isKey) =>
  store.selectFrom('accounts').selectAll().where(isKey('id')),
);

export const findAccount = async (store: Store, id: string): Promise<AccountsTable | undefined> =>
  (await accountsCalled(store, id))[0];

/** Adds an account and returns it; undefined when its email is taken, even by a registration at the same moment. */
export async function addAccount(
  trx: StoreTransaction,
  account: Omit<Insertable<AccountsTable>, 'email_key' | 'mail_new_device'>,
): Promise<AccountsTable | undefined> {
  return (
    trx
      .insertInto('accounts')
      .values({
        ...account,
        email_key: emailKey(account.email),
        mail_new_device: 1,
      })
      // mutation: registered-twice
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returningAll()
      .executeTakeFirst()
  );
}

export const setLastPlace = (store: Store, accountId: string, place: string) =>
  store.updateTable('accounts').set({ last_place: place }).where('id', '=', accountId).execute();

/** Replaces a hash by a stronger one of the same password; a password that was changed meanwhile stays. */
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

/** What an account's owner changes of it themselves. */
export type ProfileChanges = Partial<Pick<AccountsTable, 'name' | ProfileField | 'locale' | 'mail_new_device'>>;

export const changeAccount = (trx: StoreTransaction, accountId: string, changes: ProfileChanges) =>
  trx.updateTable('accounts').set(changes).where('id', '=', accountId).execute();

export const setPhone = (
  trx: StoreTransaction,
  { accountId, phone, confirmedAt }: { accountId: string; phone: string; confirmedAt: number | null },
) => trx.updateTable('accounts').set({ phone, phone_confirmed_at: confirmedAt }).where('id', '=', accountId).execute();

export const setPassword = (
  trx: StoreTransaction,
  { accountId, hash, at }: { accountId: string; hash: string; at: number },
) =>
  trx
    .updateTable('accounts')
    .set({ password_hash: hash, password_changed_at: at })
    .where('id', '=', accountId)
    .execute();

/** Lets nobody in from a time on, or everybody who may come when it is null. */
export const setLock = (trx: StoreTransaction, { accountId, at }: { accountId: string; at: number | null }) =>
  trx.updateTable('accounts').set({ locked_at: at }).where('id', '=', accountId).execute();

/**
 * Makes whoever changes the same account wait until this transaction ends. First in every transaction that changes
 * something of an account, so that all take their locks in one order and nobody waits for somebody who waits for them.
 */
export async function lockAccountRow(trx: StoreTransaction, id: string): Promise<void> {
  // SQLite's transaction is alone from its beginning.
  if (engineOf(trx) === 'sqlite') return;
  await trx.selectFrom('accounts').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** The same, and returns the account as it is then; undefined once it is deleted. */
export async function holdAndFind(trx: StoreTransaction, id: string): Promise<AccountsTable | undefined> {
  await lockAccountRow(trx, id);
  return findAccount(trx, id);
}

const accountsUnchanged = preparedWith((trx, read: Placeholders<Pick<AccountsTable, 'id' | 'password_changed_at'>>) =>
  trx
    .selectFrom('accounts')
    .select('delete_at')
    .where('id', '=', read.id)
    .where('password_changed_at', '=', read.password_changed_at)
    .where('locked_at', 'is', null)
    // New sessions refer to the account, and need not wait for each other's references.
    .$if(engineOf(trx) === 'postgres', (account) => account.forNoKeyUpdate()),
);

/**
 * Holds an account as `lockAccountRow` does, if no operator has locked it and it still has the password that was read earlier.
 * Returns what may have changed since, or undefined.
 */
export const holdUnchanged = async (
  trx: StoreTransaction,
  read: Pick<AccountsTable, 'id' | 'password_changed_at'>,
): Promise<Pick<AccountsTable, 'delete_at'> | undefined> => (await accountsUnchanged(trx, read))[0];

/** Takes out what somebody entered with an address that they never showed to be theirs. */
export const clearProfile = (trx: StoreTransaction, accountId: string) =>
  trx
    .updateTable('accounts')
    .set({
      name: '',
      phone: '',
      phone_confirmed_at: null,
      ...profileIn({}),
      promo_code: null,
      db_type: null,
      time_zone: null,
      last_place: null,
      mail_new_device: 1,
    })
    .where('id', '=', accountId)
    .execute();

/** Whoever has the account reads its mail: the address is theirs, and letters reach it. */
export async function proveEmail(store: Store, { accountId, at }: { accountId: string; at: number }): Promise<void> {
  await store
    .updateTable('accounts')
    .set({ email_proven_at: at })
    .where('id', '=', accountId)
    .where('email_proven_at', 'is', null)
    .execute();
  await store
    .deleteFrom('unreachable_addresses')
    .where('email_key', '=', (key) => key.selectFrom('accounts').select('email_key').where('id', '=', accountId))
    .execute();
}

/** Where the browser is that has just signed in. */
export const setTimeZone = preparedWith(
  (trx, { accountId, timeZone }: Placeholders<{ accountId: string; timeZone: string }>) =>
    trx
      .updateTable('accounts')
      .set({ time_zone: timeZone })
      .where('id', '=', accountId)
      .where((account) => account.or([account('time_zone', 'is', null), account('time_zone', '!=', timeZone)])),
);

/** The label that a sign-in or registration brought along; it never changes what the server does. */
export const setDbType = (trx: StoreTransaction, accountId: string, dbType: string) =>
  trx.updateTable('accounts').set({ db_type: dbType }).where('id', '=', accountId).execute();
