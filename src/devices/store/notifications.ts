import { type SqlBool, sql } from 'kysely';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { orderedId } from '../../store/database.ts';
import { type AlarmKind, isMoment } from '../contract/alarm-kinds.ts';
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
  /** Null for a test alarm. */
  computer_id: string | null;
  /** Of an alarm: the last signal of a silent computer, or when anything else began. */
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

/** Those of the members of an incident, while it was open. */
const isOfIncident = (incidentId: string) => sql<SqlBool>`exists (select 1 from incidents
  join incident_members as member on member.incident_id = incidents.id
  where incidents.id = ${incidentId} and incidents.kind = notifications.kind
    and member.computer_id = notifications.computer_id and notifications.at >= incidents.opened_at
    and (incidents.ended_at is null or notifications.at <= incidents.ended_at))`;

interface Incident {
  readonly id: string;
  readonly account_id: string;
  readonly kind: AlarmKind;
}

/** Makes the notifications of an incident begin and end with its members, as every page and message says. */
export async function followMembers(trx: StoreTransaction, { id, account_id, kind }: Incident): Promise<void> {
  if (isMoment(kind)) return;
  await trx
    .updateTable('notifications')
    .from('incident_members')
    .set((row) => ({ began_at: row.ref('incident_members.since'), ended_at: row.ref('incident_members.back_at') }))
    .whereRef('incident_members.computer_id', '=', 'notifications.computer_id')
    .where('incident_members.incident_id', '=', id)
    .where('notifications.account_id', '=', account_id)
    .where(isOfIncident(id))
    .execute();
}

/** An account's notifications, the newest first. */
export const notificationsOf = (
  store: Store,
  { accountId, before, limit }: { accountId: string; before?: string | undefined; limit: number },
) =>
  store
    .selectFrom('notifications')
    .leftJoin('computers', 'computers.id', 'notifications.computer_id')
    .selectAll('notifications')
    .select('computers.id as computer_id')
    .where('notifications.account_id', '=', accountId)
    .$if(before !== undefined, (rows) => rows.where('notifications.id', '<', before ?? ''))
    .orderBy('notifications.id', 'desc')
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

/** Marks all notifications of an account as read, or those of an incident. */
export const readAllNotifications = (
  store: Store,
  { accountId, at, incidentId }: { accountId: string; at: number; incidentId?: string },
) =>
  store
    .updateTable('notifications')
    .set({ read_at: at })
    .where('account_id', '=', accountId)
    .where('read_at', 'is', null)
    .$if(incidentId !== undefined, (rows) => rows.where(isOfIncident(incidentId ?? '')))
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
