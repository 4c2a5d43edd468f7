import { type ProfileField, profileIn } from '../../contract/fields/profile.ts';
import type { Store, StoreTransaction } from '../database.ts';
import { type AccountsTable, newAccount } from './accounts.ts';

/** The fields that owners change themselves. */
export type ProfileChanges = Partial<Pick<AccountsTable, 'name' | ProfileField | 'locale' | 'mail_new_device'>>;

export const changeAccount = (trx: StoreTransaction, accountId: string, changes: ProfileChanges) =>
  trx.updateTable('accounts').set(changes).where('id', '=', accountId).execute();

export const setPhone = (
  trx: StoreTransaction,
  { accountId, phone, confirmedAt }: { accountId: string; phone: string; confirmedAt: number | null },
) => trx.updateTable('accounts').set({ phone, phone_confirmed_at: confirmedAt }).where('id', '=', accountId).execute();

export const setLastPlace = (store: Store, accountId: string, place: string) =>
  store.updateTable('accounts').set({ last_place: place }).where('id', '=', accountId).execute();

/** Sets the time zone of the browser that has just signed in. */
export const setTimeZone = (trx: StoreTransaction, { accountId, timeZone }: { accountId: string; timeZone: string }) =>
  trx
    .updateTable('accounts')
    .set({ time_zone: timeZone })
    .where('id', '=', accountId)
    .where((account) => account.or([account('time_zone', 'is', null), account('time_zone', '!=', timeZone)]))
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
