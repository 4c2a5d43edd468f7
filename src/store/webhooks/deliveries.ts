import { type SqlBool, sql } from 'kysely';
import type { EventType } from '../../contract/webhook-events.ts';
import type { Store, StoreTransaction } from '../database.ts';
import { type QueueColumns, queueOf } from '../queue.ts';

/**
 * An event for one receiver, written in the transaction that it reports. It outlives its account. Its id is the
 * `webhook-id` of every attempt.
 */
export interface WebhookDeliveriesTable extends QueueColumns {
  receiver: string;
  account_id: string;
  /** Orders the events of an account for a receiver. */
  position: number;
  type: EventType;
  /** JSON; erased once delivered. */
  data: string;
}

declare module '../database.ts' {
  interface Database {
    webhook_deliveries: WebhookDeliveriesTable;
  }
}

/** A receiver is a lane, and gets the events of each account in order. What was given up stays for 30 days. */
export const webhookQueue = queueOf<'webhook_deliveries', string>('webhook_deliveries', {
  lane: 'receiver',
  order: 'due_at',
  inOrder: { of: 'account_id', by: 'position', openBatches: false },
  erased: { data: '' },
});

/** Removes a deleted account's data from events that are not delivered yet; they keep its id. */
export const redactDeliveries = (trx: StoreTransaction, accountId: string) =>
  trx
    .updateTable('webhook_deliveries')
    .set({ data: JSON.stringify({ account: { id: accountId } }) })
    .where('account_id', '=', accountId)
    .where('sent_at', 'is', null)
    .execute();

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

interface DeliveryPage {
  /** The last delivery of the page before. */
  readonly after?: { readonly created_at: number; readonly id: string } | undefined;
  readonly max: number;
}

/** The newest deliveries, without their data. */
export const listDeliveries = (store: Store, { after, max }: DeliveryPage) =>
  store
    .selectFrom('webhook_deliveries')
    .select(['id', 'receiver', 'account_id', 'type', 'created_at', 'due_at', 'attempts'])
    .select(['sent_at', 'gave_up_at', 'last_error'])
    .$if(after !== undefined, (rows) =>
      rows.where(sql<SqlBool>`(created_at, id) < (${after?.created_at}, ${after?.id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(max)
    .execute();

/** Makes deliveries due now that were given up or wait for another attempt; they get ten attempts again. */
export async function retryDeliveries(
  store: Store,
  { ids, now }: { ids: readonly string[] | 'all'; now: number },
): Promise<string[]> {
  const retried = await store
    .updateTable('webhook_deliveries')
    .set({ due_at: now, attempts: 0, gave_up_at: null })
    .where('sent_at', 'is', null)
    .where((row) => row.or([row('gave_up_at', 'is not', null), row('due_at', '>', now)]))
    .$if(ids !== 'all', (rows) => rows.where('id', 'in', ids as readonly string[]))
    .returning('id')
    .execute();
  return retried.map(({ id }) => id);
}
