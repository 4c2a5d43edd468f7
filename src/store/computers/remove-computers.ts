import { notify } from '../accounts/notifications.ts';
import type { Store, StoreTransaction } from '../database.ts';
import type { OwnedComputer } from './computers.ts';

/** Removes a computer with its token and all its records; undefined if the account has no computer with this id. */
export const removeComputer = (store: Store, { id, accountId }: OwnedComputer) =>
  store
    .deleteFrom('computers')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('name')
    .executeTakeFirst();

/** Removes an account's computers, their notifications and alarm rules. Returns the ids of removed computers. */
export async function removeComputersOf(trx: StoreTransaction, accountId: string): Promise<string[]> {
  const removed = await trx.deleteFrom('computers').where('account_id', '=', accountId).returning('id').execute();
  await trx.deleteFrom('notifications').where('account_id', '=', accountId).execute();
  await trx.deleteFrom('alarm_rules').where('account_id', '=', accountId).execute();
  return removed.map(({ id }) => id);
}

/**
 * Removes the computers that were added to an account since then (ms since the epoch), each with a notification. Returns
 * their ids.
 */
export async function removeComputersSince(
  trx: StoreTransaction,
  { accountId, since, at }: { accountId: string; since: number; at: number },
): Promise<string[]> {
  const removed = await trx
    .deleteFrom('computers')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .returning(['id', 'name'])
    .execute();
  for (const { name } of removed) await notify(trx, { account_id: accountId, at, kind: 'computer_removed', name });
  return removed.map(({ id }) => id);
}
