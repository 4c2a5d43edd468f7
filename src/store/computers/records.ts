import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../database.ts';
import { firstIdOf } from '../ordered-id.ts';

/** What a computer reports. */
export interface RecordsTable {
  /** Sorts by the time of what is reported, whenever it came. */
  seq: string;
  account_id: string;
  computer_id: string;
  /** The computer's own: the same one twice is one record. */
  id: string;
  at: number;
  kind: string;
  text: string;
}

declare module '../database.ts' {
  interface Database {
    records: RecordsTable;
  }
}

/** Digits of a UUID, after its time, that keep what happened in one millisecond in the order in which it was told. */
export function seqOf(at: number, place: number): string {
  const first = firstIdOf(at);
  return `${first.slice(0, 15)}${place.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`;
}

/** Adds those that are new. Returns how many that were. */
export async function addRecords(trx: StoreTransaction, records: readonly RecordsTable[]): Promise<number> {
  if (records.length === 0) return 0;
  const added = await trx
    .insertInto('records')
    .values(records)
    .onConflict((conflict) => conflict.columns(['computer_id', 'id']).doNothing())
    .returning('seq')
    .execute();
  return added.length;
}

/** How many more than allowed there may be for a while: so that not each record has to count all. */
const slack = 200;

/** Deletes a computer's oldest records where there are more than `most`. To be called with what was added. */
export async function trimRecords(
  trx: StoreTransaction,
  { computerId, added, most }: { computerId: string; added: number; most: number },
): Promise<void> {
  if (added === 0) return;
  const counted = await trx
    .updateTable('computers')
    .set((row) => ({ records_since_trim: row('records_since_trim', '+', added) }))
    .where('id', '=', computerId)
    .returning('records_since_trim')
    .executeTakeFirst();
  if (!counted || counted.records_since_trim < slack) return;
  await trx.updateTable('computers').set({ records_since_trim: 0 }).where('id', '=', computerId).execute();
  await trx
    .deleteFrom('records')
    .where('computer_id', '=', computerId)
    .where(
      'seq',
      '<=',
      sql<string>`coalesce((select seq from records where computer_id = ${computerId} order by seq desc limit 1 offset ${most}), '')`,
    )
    .execute();
}

/** The newest record of each of an account's computers. */
export const newestRecordsOf = (store: Store, accountId: string) =>
  store
    .selectFrom('records')
    .select(['computer_id', 'at', 'kind', 'text'])
    .where('seq', 'in', (records) =>
      records
        .selectFrom('computers')
        .where('account_id', '=', accountId)
        .select((computer) =>
          computer
            .selectFrom('records as own')
            .whereRef('own.computer_id', '=', 'computers.id')
            .select('own.seq')
            .orderBy('own.seq', 'desc')
            .limit(1)
            .as('newest'),
        ),
    )
    .execute();

interface RecordQuery {
  readonly accountId: string;
  readonly computerId?: string | undefined;
  readonly kind?: string | undefined;
  /** Only what is older than this record. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Of a computer's records, which are bounded, and found by it: an account has any number. */
const owner = sql<string>`account_id || ''`;

/** The newest first. */
export const recordsOf = (store: Store, { accountId, computerId, kind, before, limit }: RecordQuery) =>
  store
    .selectFrom('records')
    .select(['seq', 'computer_id', 'at', 'kind', 'text'])
    .$if(computerId === undefined, (rows) => rows.where('account_id', '=', accountId))
    .$if(computerId !== undefined, (rows) =>
      rows.where('computer_id', '=', computerId ?? '').where(owner, '=', accountId),
    )
    .$if(kind !== undefined, (rows) => rows.where('kind', '=', kind ?? ''))
    .$if(before !== undefined, (rows) => rows.where('seq', '<', before ?? ''))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
