import type { DialectAdapter } from 'kysely';
import type { Store } from '../database.ts';

/** Events that receivers can subscribe to. */
export const eventTypes = [
  'account.created',
  'account.changed',
  'account.email_changed',
  'account.locked',
  'account.deletion_planned',
  'account.deleted',
  'session.reused',
  'computer.added',
  'computer.removed',
  'computer.alarm',
] as const;

export type EventType = (typeof eventTypes)[number];

/** A receiver, as far as the transaction of an event needs to know it. */
export interface Subscription {
  /** Stays the same as long as the URL does. */
  readonly id: string;
  readonly events: readonly EventType[];
}

/** A receiver that responded 410 Gone gets nothing until an operator enables it. */
export interface WebhookReceiversTable {
  id: string;
  disabled_at: number;
}

declare module '../database.ts' {
  interface Database {
    webhook_receivers: WebhookReceiversTable;
  }
}

/** Keys are adapters, because a store shares its adapter with its transactions. */
const subscriptions = new WeakMap<DialectAdapter, readonly Subscription[]>();

/** Sets which receivers get the events of this store's transactions, from now on. */
export function subscribe(store: Store, receivers: readonly Subscription[]): void {
  subscriptions.set(store.getExecutor().adapter, receivers);
}

/** The receivers of a type of event. */
export const subscribersOf = (store: Store, type: EventType): readonly Subscription[] =>
  (subscriptions.get(store.getExecutor().adapter) ?? []).filter(({ events }) => events.includes(type));

/** Disables a receiver. Deliveries that wait stay, in case an operator enables it again. */
export const disableReceiver = (store: Store, { id, at }: { id: string; at: number }) =>
  store
    .insertInto('webhook_receivers')
    .values({ id, disabled_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();

/** Enables a receiver; false if it was not disabled. */
export async function enableReceiver(store: Store, id: string): Promise<boolean> {
  const enabled = await store.deleteFrom('webhook_receivers').where('id', '=', id).returning('id').executeTakeFirst();
  return enabled !== undefined;
}

/** Disabled receivers, configured or not, with the time in milliseconds since the epoch. */
export const disabledReceivers = (store: Store) => store.selectFrom('webhook_receivers').selectAll().execute();
