import type { Store, StoreTransaction } from '../database.ts';
import { orderedId } from '../ordered-id.ts';

/** What an account's owner is to notice on the dashboard. */
export type NotificationKind = 'computer_added' | 'computer_removed';

export interface NotificationsTable {
  /** UUID version 7: sorts by time. */
  id: string;
  account_id: string;
  at: number;
  kind: NotificationKind;
  /** The computer's name as it was then. */
  name: string;
  read_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    notifications: NotificationsTable;
  }
}

export const notify = (trx: StoreTransaction, notification: Omit<NotificationsTable, 'id' | 'read_at'>) =>
  trx
    .insertInto('notifications')
    .values({ id: orderedId(), ...notification, read_at: null })
    .execute();

/** The newest first. */
export const notificationsOf = (store: Store, { accountId, limit }: { accountId: string; limit: number }) =>
  store
    .selectFrom('notifications')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Also those that are no longer listed. */
export async function countUnread(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('notifications')
    .select((row) => row.fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Marks all of an account's as read. */
export const readAllNotifications = (store: Store, { accountId, at }: { accountId: string; at: number }) =>
  store
    .updateTable('notifications')
    .set({ read_at: at })
    .where('account_id', '=', accountId)
    .where('read_at', 'is', null)
    .execute();

/** Marks one as read, for the first time or again; false where the account has none with this id. */
export async function readNotification(
  store: Store,
  { id, accountId, at }: { id: string; accountId: string; at: number },
): Promise<boolean> {
  const read = await store
    .updateTable('notifications')
    .set((row) => ({ read_at: row.fn.coalesce('read_at', row.val(at)) }))
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('id')
    .executeTakeFirst();
  return read !== undefined;
}
