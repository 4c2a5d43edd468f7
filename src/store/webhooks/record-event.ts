import { type DialectAdapter, sql } from 'kysely';
import type { EventType } from '../../contract/webhook-events.ts';
import { engineOf, hasRow, orderedId, type Store, type StoreTransaction } from '../database.ts';
import { listStoredReceivers } from './stored-receivers.ts';

/** A receiver, as far as the transaction of an event needs to know it. */
export interface Subscription {
  /** Stays the same as long as the URL does. */
  readonly id: string;
  readonly events: readonly EventType[];
}

/** A receiver that responded 410 Gone, or that is in doubt, gets nothing until an operator enables it. */
interface WebhookReceiversTable {
  id: string;
  disabled_at: number;
  /** The operator who added it, or a secret for it, and then was shut out. */
  doubted_by: string | null;
}

declare module '../database.ts' {
  interface Database {
    webhook_receivers: WebhookReceiversTable;
  }
}

/** Keys are adapters, because a store shares its adapter with its transactions. */
const subscriptions = new WeakMap<DialectAdapter, readonly Subscription[]>();

/** Sets which receivers get the events of this store's transactions, from now on, besides those in the database. */
export function subscribe(store: Store, receivers: readonly Subscription[]): void {
  subscriptions.set(store.getExecutor().adapter, receivers);
}

/** The receivers of a type of event, and whether operators added them. */
async function subscribersOf(store: Store, type: EventType) {
  const configured = subscriptions.get(store.getExecutor().adapter) ?? [];
  const stored = (await listStoredReceivers(store)).filter(({ id }) => !configured.some((one) => one.id === id));
  return [
    ...configured.map((one) => ({ ...one, isStored: false })),
    ...stored.map((one) => ({ ...one, isStored: true })),
  ].filter(({ events }) => events.includes(type));
}

/** Disables a receiver. Deliveries that wait stay, in case an operator enables it again. */
export const disableReceiver = (store: Store, { id, at }: { id: string; at: number }) =>
  store
    .insertInto('webhook_receivers')
    .values({ id, disabled_at: at, doubted_by: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();

/** Disables a receiver that operators added, because of one of them; false if there is none with this id. */
export async function doubtReceiver(
  trx: StoreTransaction,
  { id, by, at }: { id: string; by: string; at: number },
): Promise<boolean> {
  const known = trx.selectFrom('stored_receivers').select('id').where('id', '=', id);
  if ((await known.executeTakeFirst()) === undefined) return false;
  await trx
    .insertInto('webhook_receivers')
    .values({ id, disabled_at: at, doubted_by: by })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ doubted_by: by }))
    .execute();
  return true;
}

/** Enables a receiver; false if it was not disabled. */
export const enableReceiver = (store: Store, id: string): Promise<boolean> =>
  hasRow(store.deleteFrom('webhook_receivers').where('id', '=', id).returning('id'));

/** Disabled receivers, in use or not, with the time in milliseconds since the epoch. */
export const disabledReceivers = (store: Store) => store.selectFrom('webhook_receivers').selectAll().execute();

interface AccountEvent {
  readonly type: EventType;
  readonly accountId: string;
  readonly at: number;
  /** Facts besides the account itself; never a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Records an event for its receivers: it leaves if, and only if, the transaction commits. Call it after the change,
 * in a transaction that has locked the account's row, so that receivers get the events of an account in order.
 */
export async function recordEvent(trx: Store, { type, accountId, at, data }: AccountEvent): Promise<void> {
  const receivers = await subscribersOf(trx, type);
  if (receivers.length === 0) return;
  const text = JSON.stringify({ account: await describeAccount(trx, accountId), ...data });
  for (const { id: receiver, isStored } of receivers) {
    // Its removal waits for this transaction, and then also removes this event.
    const isKept =
      isStored && engineOf(trx) === 'postgres'
        ? sql`and exists (select from stored_receivers where id = ${receiver} for key share)`
        : sql``;
    await sql`
      insert into webhook_deliveries
        (id, receiver, account_id, position, type, data, created_at, due_at, attempts, leased_until)
      select cast(${orderedId()} as text), cast(${receiver} as text), cast(${accountId} as text),
        coalesce((select max(position) from webhook_deliveries
          where receiver = ${receiver} and account_id = ${accountId}), 0) + 1,
        cast(${type} as text), cast(${text} as text), cast(${at} as bigint), cast(${at} as bigint), 0, 0
      where not exists (select 1 from webhook_receivers where id = ${receiver}) ${isKept}`.execute(trx);
  }
}

/** The account after the event; only its id once it is deleted. */
async function describeAccount(trx: Store, accountId: string) {
  const account = await trx
    .selectFrom('accounts')
    .select(['id', 'email', 'email_proven_at', 'name', 'locale', 'locked_at', 'delete_at'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (!account) return { id: accountId };
  const { id, email, email_proven_at, name, locale, locked_at, delete_at } = account;
  return {
    id,
    email,
    email_verified: email_proven_at !== null,
    name,
    locale,
    locked: locked_at !== null,
    deletion_planned_at: delete_at === null ? null : new Date(delete_at).toISOString(),
  };
}

/** Fits a body of 20 kB. */
const computersInOneEvent = 300;

interface RemovedComputers {
  readonly accountId: string;
  readonly ids: readonly string[];
  readonly at: number;
}

/** Records that computers were removed: one event for up to 300 of them. */
export async function recordRemovedComputers(trx: Store, { accountId, ids, at }: RemovedComputers): Promise<void> {
  for (let start = 0; start < ids.length; start += computersInOneEvent) {
    const computers = ids.slice(start, start + computersInOneEvent).map((id) => ({ id }));
    await recordEvent(trx, { type: 'computer.removed', accountId, at, data: { computers } });
  }
}

interface RaisedAlarms {
  readonly accountId: string;
  readonly alarms: readonly {
    readonly computer: string;
    readonly kind: string;
    readonly device: string;
    readonly when: number;
  }[];
  readonly at: number;
}

/** Names are up to 180 characters long, so fewer alarms fit a body of 20 kB. */
const alarmsInOneEvent = 50;

/** Records alarms about computers: one event for up to 50 of them. */
export async function recordAlarms(trx: Store, { accountId, alarms, at }: RaisedAlarms): Promise<void> {
  for (let start = 0; start < alarms.length; start += alarmsInOneEvent) {
    const described = alarms.slice(start, start + alarmsInOneEvent).map(({ computer, kind, device, when }) => ({
      computer: { id: computer, name: device },
      kind,
      since: new Date(when).toISOString(),
    }));
    await recordEvent(trx, { type: 'computer.alarm', accountId, at, data: { alarms: described } });
  }
}
