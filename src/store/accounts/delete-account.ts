import type { Expression } from 'kysely';
import { addressLock, passwordLock, unlock } from '../access/lockouts.ts';
import type { Store, StoreTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';
import { type AccountsTable, emailKey } from './accounts.ts';

type Person = Pick<AccountsTable, 'id' | 'email' | 'phone'>;

/** When all of an account is deleted, unless its owner signs in before. */
export const planDeletion = (trx: StoreTransaction, { id, at }: { id: string; at: number }) =>
  trx.updateTable('accounts').set({ delete_at: at }).where('id', '=', id).execute();

const deletionsTakenBack = prepared((trx, id: Expression<string>) =>
  trx
    .updateTable('accounts')
    .set({ delete_at: null })
    .where('id', '=', id)
    .where('delete_at', 'is not', null)
    .returning('id'),
);

/** Takes a planned deletion back; true when there was one. */
export const takeDeletionBack = async (trx: StoreTransaction, id: string): Promise<boolean> =>
  (await deletionsTakenBack(trx, id)).length > 0;

/** Accounts whose time has come, a few at a time. */
export const accountsToDelete = (store: Store, { now, most }: { now: number; most: number }) =>
  store.selectFrom('accounts').select('id').where('delete_at', '<=', now).orderBy('delete_at').limit(most).execute();

/** An account whose time has come, held as by `holdAccount`; undefined when its owner came back meanwhile. */
export const dueAccount = (trx: StoreTransaction, { id, now }: { id: string; now: number }) =>
  trx.selectFrom('accounts').selectAll().where('id', '=', id).where('delete_at', '<=', now).executeTakeFirst();

/**
 * Deletes an account and whatever else is known of its owner: what refers to it goes with it, the rest is found by
 * address and number. `emailHash` is what limits and locks know the address by.
 */
export async function deleteAccount(trx: StoreTransaction, person: Person, emailHash: string): Promise<void> {
  const { id, email, phone } = person;
  await unlock(trx, { emailHash, accountId: id });
  await trx
    .deleteFrom('lockouts')
    .where('key', 'in', [addressLock(emailHash), passwordLock(id)])
    .execute();
  await trx
    .deleteFrom('limit_hits')
    .where('key', 'in', [`recovery:${emailHash}`, `code:${emailHash}`, `code-tries:${emailHash}`])
    .execute();
  await trx.deleteFrom('mail_codes').where('email_key', '=', emailKey(email)).execute();
  await trx.deleteFrom('unreachable_addresses').where('email_key', '=', emailKey(email)).execute();
  await trx
    .deleteFrom('outbox')
    .where((letter) => letter.or([letter('account_id', '=', id), letter('recipient', '=', email)]))
    .execute();
  if (phone) {
    await trx.deleteFrom('phone_calls').where('phone', '=', phone).execute();
    await trx.deleteFrom('limit_hits').where('key', 'like', `phone-%:${phone}%`).execute();
  }
  await trx.deleteFrom('limit_hits').where('key', '=', `enrolment:${id}`).execute();
  await trx.deleteFrom('accounts').where('id', '=', id).execute();
}
