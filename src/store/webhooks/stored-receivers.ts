import { sql } from 'kysely';
import type { EventType } from '../../contract/webhook-events.ts';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';

/** A receiver that operators added, besides those in WEBHOOKS_FILE. */
interface StoredReceiversTable {
  /** Follows from the URL, as for a receiver in the file. */
  id: string;
  /** The URL and its secrets, sealed. */
  target: string;
  /** Separated by spaces. */
  events: string;
  created_at: number;
}

declare module '../database.ts' {
  interface Database {
    stored_receivers: StoredReceiversTable;
  }
}

interface StoredReceiver extends Omit<StoredReceiversTable, 'events'> {
  readonly events: readonly EventType[];
}

/** There are few. */
export const listStoredReceivers = async (store: Store): Promise<StoredReceiver[]> =>
  (await store.selectFrom('stored_receivers').selectAll().orderBy('created_at').orderBy('id').execute()).map(
    ({ events, ...one }) => ({ ...one, events: events.split(' ') as EventType[] }),
  );

/** The same, while no other transaction adds, changes or removes one. */
export async function heldReceivers(trx: StoreTransaction): Promise<StoredReceiver[]> {
  if (engineOf(trx) === 'postgres')
    await sql`lock table ${sql.table('stored_receivers')} in share row exclusive mode`.execute(trx);
  return listStoredReceivers(trx);
}

/** Its sealed target, which stays the same until the transaction ends. */
export const heldTarget = async (trx: StoreTransaction, id: string): Promise<string | undefined> =>
  (
    await trx
      .selectFrom('stored_receivers')
      .select('target')
      .where('id', '=', id)
      .$if(engineOf(trx) === 'postgres', (row) => row.forNoKeyUpdate())
      .executeTakeFirst()
  )?.target;

export const addStoredReceiver = (trx: StoreTransaction, { events, ...one }: StoredReceiver) =>
  trx
    .insertInto('stored_receivers')
    .values({ ...one, events: events.join(' ') })
    .execute();

export const setTarget = (trx: StoreTransaction, { id, target }: Pick<StoredReceiver, 'id' | 'target'>) =>
  trx.updateTable('stored_receivers').set({ target }).where('id', '=', id).execute();

export const setEvents = (trx: StoreTransaction, { id, events }: Pick<StoredReceiver, 'id' | 'events'>) =>
  trx
    .updateTable('stored_receivers')
    .set({ events: events.join(' ') })
    .where('id', '=', id)
    .execute();

/** Removes a receiver, and what waits for it. */
export async function removeStoredReceiver(trx: StoreTransaction, id: string): Promise<void> {
  await trx.deleteFrom('stored_receivers').where('id', '=', id).execute();
  await trx.deleteFrom('webhook_receivers').where('id', '=', id).execute();
  await trx.deleteFrom('webhook_deliveries').where('receiver', '=', id).where('sent_at', 'is', null).execute();
}
