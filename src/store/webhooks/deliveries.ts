import type { ExpressionBuilder } from 'kysely';
import { type Database, engineOf, type Store, type StoreTransaction } from '../database.ts';
import type { EventType } from './receivers.ts';

/** An event for one receiver, written in the transaction that it reports. It outlives its account. */
export interface WebhookDeliveriesTable {
  /** UUID version 7: the `webhook-id` of every attempt. */
  id: string;
  receiver: string;
  account_id: string;
  /** Orders the events of an account for a receiver. */
  position: number;
  type: EventType;
  /** JSON; erased once delivered. */
  data: string;
  created_at: number;
  due_at: number;
  attempts: number;
  /** End of a worker's lease. Grows with every claim, so it also identifies the claim. */
  leased_until: number;
  delivered_at: number | null;
  gave_up_at: number | null;
  last_error: string | null;
}

declare module '../database.ts' {
  interface Database {
    webhook_deliveries: WebhookDeliveriesTable;
  }
}

type Row = ExpressionBuilder<Database, 'webhook_deliveries'>;

const isPending = (row: Row) => row.and([row('delivered_at', 'is', null), row('gave_up_at', 'is', null)]);

interface Claim {
  readonly receiver: string;
  readonly limit: number;
  readonly now: number;
  /** Milliseconds after which other workers may claim a delivery whose worker died. */
  readonly leaseFor: number;
  /** Ids that this worker is sending already, even if a clock set forward has ended their leases. */
  readonly sending: readonly string[];
}

/**
 * Claims a receiver's due deliveries, each for exactly one worker: of each account only the oldest one that is neither
 * delivered nor given up. Nothing while the receiver is disabled.
 */
export const claimDeliveries = (
  store: Store,
  { receiver, limit, now, leaseFor, sending }: Claim,
): Promise<WebhookDeliveriesTable[]> =>
  store
    .with('due', (db) =>
      db
        .selectFrom('webhook_deliveries')
        .select('webhook_deliveries.id')
        .where('receiver', '=', receiver)
        .where('delivered_at', 'is', null)
        .where('gave_up_at', 'is', null)
        .where('due_at', '<=', now)
        // A lease longer than any that we give is from before the clock was set back.
        .where((row) => row.or([row('leased_until', '<=', now), row('leased_until', '>', now + leaseFor)]))
        .$if(sending.length > 0, (due) => due.where('webhook_deliveries.id', 'not in', sending))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('webhook_deliveries as older')
                .select('older.id')
                .where('older.receiver', '=', receiver)
                .whereRef('older.account_id', '=', 'webhook_deliveries.account_id')
                .whereRef('older.position', '<', 'webhook_deliveries.position')
                .where('older.delivered_at', 'is', null)
                .where('older.gave_up_at', 'is', null),
            ),
          ),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('webhook_receivers').select('id').where('id', '=', receiver))),
        )
        .orderBy('due_at')
        .limit(limit)
        // A single statement is exclusive in SQLite; PostgreSQL's workers skip each other's rows.
        .$if(engineOf(store) === 'postgres', (due) => due.forUpdate().skipLocked()),
    )
    .updateTable('webhook_deliveries')
    .set((row) => ({ leased_until: now + leaseFor, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (row) => row.selectFrom('due').select('due.id'))
    // PostgreSQL reads the rows again once it has their locks, so this excludes a claim that was first.
    .where((row) => row.or([row('leased_until', '<=', now), row('leased_until', '>', now + leaseFor)]))
    .where(isPending)
    .returningAll()
    .execute();

/** Marks a delivery as delivered, under any claim, and erases its data. */
export const markDelivered = (store: Store, { id, at }: { id: string; at: number }) =>
  store
    .updateTable('webhook_deliveries')
    .set({ delivered_at: at, gave_up_at: null, data: '', last_error: null })
    .where('id', '=', id)
    .where('delivered_at', 'is', null)
    .execute();

interface Unclaim {
  readonly id: string;
  readonly leasedUntil: number;
  readonly error: string;
}

/** Only for the worker whose claim is still valid. */
const claimed = (store: Store, { id, leasedUntil }: Unclaim) =>
  store.updateTable('webhook_deliveries').where('id', '=', id).where('leased_until', '=', leasedUntil).where(isPending);

/** Schedules another attempt. */
export const postponeDelivery = (store: Store, { dueAt, ...row }: Unclaim & { dueAt: number }) =>
  claimed(store, row).set({ due_at: dueAt, leased_until: 0, last_error: row.error }).execute();

/** Ends a claim as if there had been no attempt. */
export const releaseDelivery = (store: Store, row: Unclaim) =>
  claimed(store, row)
    .set((one) => ({ leased_until: 0, attempts: one('attempts', '-', 1), last_error: row.error }))
    .execute();

/** Gives a delivery up. It stays for 30 days, for an operator to see and retry. */
export const giveUpDelivery = (store: Store, { at, ...row }: Unclaim & { at: number }) =>
  claimed(store, row).set({ gave_up_at: at, leased_until: 0, last_error: row.error }).execute();

/** Removes a deleted account's data from events that are not delivered yet; they keep its id. */
export const redactDeliveries = (trx: StoreTransaction, accountId: string) =>
  trx
    .updateTable('webhook_deliveries')
    .set({ data: JSON.stringify({ account: { id: accountId } }) })
    .where('account_id', '=', accountId)
    .where('delivered_at', 'is', null)
    .execute();

/** The number of waiting deliveries to these receivers, and the time of the oldest. */
export const deliveryBacklog = (store: Store, receivers: readonly string[]) =>
  store
    .selectFrom('webhook_deliveries')
    .select((row) => [row.fn.countAll<number>().as('queued'), row.fn.min('created_at').as('oldest')])
    .where('receiver', 'in', receivers.length > 0 ? receivers : [''])
    .where(isPending)
    .executeTakeFirstOrThrow();

/** How many deliveries to these receivers were given up since then, and the last error. */
export const givenUpDeliveries = (
  store: Store,
  { receivers, since }: { receivers: readonly string[]; since: number },
) =>
  store
    .selectFrom('webhook_deliveries')
    .select((row) => [row.fn.countAll<number>().as('count'), row.fn.max('last_error').as('error')])
    .where('receiver', 'in', receivers.length > 0 ? receivers : [''])
    .where('gave_up_at', '>', since)
    .executeTakeFirstOrThrow();

/** The newest deliveries, without their data. */
export const listDeliveries = (store: Store, { most }: { most: number }) =>
  store
    .selectFrom('webhook_deliveries')
    .select(['id', 'receiver', 'account_id', 'type', 'created_at', 'due_at', 'attempts'])
    .select(['delivered_at', 'gave_up_at', 'last_error'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute();

export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number];

/** Makes deliveries due now that were given up or wait for another attempt; they get ten attempts again. */
export async function retryDeliveries(
  store: Store,
  { ids, now }: { ids: readonly string[] | 'all'; now: number },
): Promise<string[]> {
  const retried = await store
    .updateTable('webhook_deliveries')
    .set({ due_at: now, attempts: 0, gave_up_at: null })
    .where('delivered_at', 'is', null)
    .where((row) => row.or([row('gave_up_at', 'is not', null), row('due_at', '>', now)]))
    .$if(ids !== 'all', (rows) => rows.where('id', 'in', ids as readonly string[]))
    .returning('id')
    .execute();
  return retried.map(({ id }) => id);
}
