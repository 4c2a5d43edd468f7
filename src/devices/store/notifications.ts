import type { Store, StoreTransaction } from '../../store/database.ts';
import { orderedId } from '../../store/database.ts';
import type { NotificationKind } from '../contract/computers.ts';

export interface NotificationsTable {
  /** UUID version 7: sorts by time. */
  id: string;
  account_id: string;
  at: number;
  kind: NotificationKind;
  /** The computer's name as it was then; empty for a test alarm. */
  name: string;
  read_at: number | null;
}

declare module '../../store/database.ts' {
  interface Database {
    notifications: NotificationsTable;
  }
}

type NewNotification = Omit<NotificationsTable, 'id' | 'read_at'>;

export const notify = (trx: StoreTransaction, ...notifications: readonly NewNotification[]) =>
  trx
    .insertInto('notifications')
    .values(notifications.map((notification) => ({ id: orderedId(), ...notification, read_at: null })))
    .execute();

/** An account's notifications, the newest first. */
export const notificationsOf = (store: Store, { accountId, limit }: { accountId: string; limit: number }) =>
  store
    .selectFrom('notifications')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Counts unread notifications, including those that are no longer listed. */
export async function countUnread(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('notifications')
    .select((row) => row.fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Marks all notifications of an account as read. */
export const readAllNotifications = (store: Store, { accountId, at }: { accountId: string; at: number }) =>
  store
    .updateTable('notifications')
    .set({ read_at: at })
    .where('account_id', '=', accountId)
    .where('read_at', 'is', null)
    .execute();

/** Marks one as read, for the first time or again; false if the account has no notification with this id. */
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
