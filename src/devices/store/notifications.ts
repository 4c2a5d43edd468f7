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
  /** Null if it was removed, and for a test alarm. */
  computer_id: string | null;
  /** Of an alarm: the last signal of a silent computer, or when we noticed the warning. */
  began_at: number | null;
  /** Of an alarm: when the computer reported again, or the warning ended. */
  ended_at: number | null;
}

declare module '../../store/database.ts' {
  interface Database {
    notifications: NotificationsTable;
  }
}

interface NewNotification extends Pick<NotificationsTable, 'account_id' | 'at' | 'kind' | 'name'> {
  readonly computer_id?: string;
  readonly began_at?: number;
  /** The owner did it, so it is no news. */
  readonly own?: boolean;
}

export const notify = (trx: StoreTransaction, ...notifications: readonly NewNotification[]) =>
  trx
    .insertInto('notifications')
    .values(
      notifications.map(({ own = false, computer_id = null, began_at = null, ...notification }) => ({
        ...notification,
        ...{ id: orderedId(), computer_id, began_at, ended_at: null, read_at: own ? notification.at : null },
      })),
    )
    .execute();

interface EndedAlarms {
  readonly accountId: string;
  readonly computerIds: readonly string[];
  readonly kinds: readonly NotificationKind[];
  readonly at: number;
}

/** SQLite and PostgreSQL limit the parameters of a statement. */
const batchSize = 500;

/** Records when the alarms of computers ended. */
export async function endNotifications(
  store: Store,
  { accountId, computerIds, kinds, at }: EndedAlarms,
): Promise<void> {
  for (let from = 0; from < computerIds.length; from += batchSize)
    await store
      .updateTable('notifications')
      .set({ ended_at: at })
      .where('account_id', '=', accountId)
      .where('computer_id', 'in', computerIds.slice(from, from + batchSize))
      .where('kind', 'in', kinds)
      .where('ended_at', 'is', null)
      .execute();
}

/** An account's notifications, the newest first. */
export const notificationsOf = (
  store: Store,
  { accountId, before, limit }: { accountId: string; before?: string | undefined; limit: number },
) =>
  store
    .selectFrom('notifications')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? ''))
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
