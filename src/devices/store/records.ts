import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { days } from '../../contract/units.ts';
import { firstIdOf, type Store, type StoreTransaction } from '../../store/database.ts';

/** An event that a computer reports. */
export interface RecordsTable {
  /** Sorts by the time of the event, not of its arrival. */
  seq: string;
  account_id: string;
  computer_id: string;
  /** The computer's own id: a record that arrives twice is stored once. */
  id: string;
  at: number;
  kind: string;
  text: string;
}

declare module '../../store/database.ts' {
  interface Database {
    records: RecordsTable;
    record_counts: RecordCountsTable;
  }
}

/** A UUID of a time, with the place in the report after it: keeps the order of records within one millisecond. */
export function seqOf(at: number, place: number): string {
  const first = firstIdOf(at);
  return `${first.slice(0, 15)}${place.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`;
}

/**
 * Adds the new ones among these records. Returns how many it added. The search for known ids comes before the unique
 * index, which covers a single month if the table has partitions: a computer whose clock is ahead may repeat a record in
 * the next month.
 */
export async function addRecords(store: Store, records: readonly RecordsTable[]): Promise<number> {
  if (records.length === 0) return 0;
  const firsts = new Map(records.toReversed().map((record) => [record.id, record])).values();
  const values = Array.from(
    firsts,
    ({ seq, account_id, computer_id, id, at, kind, text }) =>
      sql`(${seq}, ${account_id}, ${computer_id}, ${id}, cast(${at} as bigint), ${kind}, ${text})`,
  );
  // A lookup for each record: PostgreSQL would turn `not exists` or `not in` into one scan of many records.
  const known = sql`(select 1 from records where computer_id = new.computer_id and id = new.id limit 1)`;
  const { rows } = await sql<{ seq: string }>`
    with new (seq, account_id, computer_id, id, at, kind, text) as (values ${sql.join(values)})
    insert into records (seq, account_id, computer_id, id, at, kind, text)
    select seq, account_id, computer_id, id, at, kind, text from new where ${known} is null
    on conflict do nothing returning seq`.execute(store);
  return rows.length;
}

/** How many excess records there may be for a while, so that not every addition has to count them. */
const slack = 200;

/** Deletes a computer's oldest records if it has more than `max`. Call it with the number of `added` records. */
export async function trimRecords(
  trx: StoreTransaction,
  { computerId, added, max }: { computerId: string; added: number; max: number },
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
      sql<string>`coalesce((select seq from records where computer_id = ${computerId} order by seq desc limit 1 offset ${max}), '')`,
    )
    .execute();
}

/** A computer's newest records of these kinds, the newest first. */
export const newestOf = (
  store: Store,
  { computerId, kinds, limit }: { computerId: string; kinds: readonly string[]; limit: number },
) =>
  store
    .selectFrom('records')
    .select(['seq', 'kind'])
    .where('computer_id', '=', computerId)
    .where('kind', 'in', kinds)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();

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

export interface RecordQuery {
  readonly accountId: string;
  readonly computerId?: string | undefined;
  readonly kind?: string | undefined;
  /** Only records older than this one. */
  readonly before?: string | undefined;
  /** Only records from this time on, and before that one: milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

/** Keeps the planner off the index on `account_id`: the records of a computer are bounded, unlike an account's. */
const owner = sql<string>`account_id || ''`;

/** Records of an account, or of one of its computers, the newest first. */
export const recordsOf = (store: Store, { accountId, computerId, kind, before, since, until, limit }: RecordQuery) =>
  store
    .selectFrom('records')
    .select(['seq', 'computer_id', 'at', 'kind', 'text'])
    .$if(computerId === undefined, (rows) => rows.where('account_id', '=', accountId))
    .$if(computerId !== undefined, (rows) =>
      rows.where('computer_id', '=', computerId ?? '').where(owner, '=', accountId),
    )
    .$if(kind !== undefined, (rows) => rows.where('kind', '=', kind ?? ''))
    .$if(before !== undefined, (rows) => rows.where('seq', '<', before ?? ''))
    .$if(since !== undefined, (rows) => rows.where('seq', '>=', firstIdOf(since ?? 0)))
    .$if(until !== undefined, (rows) => rows.where('seq', '<', firstIdOf(until ?? 0)))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();

/** Records that one search reads at most, and at a time: a long one must delay neither the database nor the process. */
const searchedAtMost = 5000;
const maxRead = 1000;

type FoundRecord = Awaited<ReturnType<typeof recordsOf>>[number];

interface FoundPage {
  readonly rows: readonly FoundRecord[];
  /** Continues the search before this record. */
  readonly next: string | undefined;
}

/** A page of matching records, the newest first. It may be short, even empty, although older records match. */
export async function searchRecords(
  store: Store,
  query: RecordQuery,
  matches: (record: FoundRecord) => boolean,
): Promise<FoundPage> {
  const rows: FoundRecord[] = [];
  let { before } = query;
  for (let read = 0; read < searchedAtMost; read += maxRead) {
    const batch = await recordsOf(store, { ...query, before, limit: maxRead });
    for (const record of batch) {
      if (!matches(record)) continue;
      if (rows.length === query.limit) return { rows, next: rows.at(-1)?.seq };
      rows.push(record);
    }
    if (batch.length < maxRead) return { rows, next: undefined };
    before = batch.at(-1)?.seq;
  }
  return { rows, next: before };
}

/** How many records an account, or one of its computers, sent on a day. */
interface RecordCountsTable {
  account_id: string;
  /** Empty for the whole account. */
  computer_id: string;
  /** Days since the epoch, in UTC. */
  day: number;
  records: number;
}

/** The UTC day of a time (ms since the epoch). */
export const dayOf = (time: number): number => Math.floor(time / days(1));

interface Added {
  readonly accountId: string;
  readonly computerId: string;
  readonly now: number;
  readonly records: number;
}

/**
 * Counts added records. Returns how many the computer and its account sent today, including these. Other transactions
 * of the account wait for this one, so that parallel requests cannot pass a limit together.
 */
export async function countRecords(trx: StoreTransaction, { accountId, computerId, now, records }: Added) {
  const today = { account_id: accountId, day: dayOf(now), records };
  const counts = await trx
    .insertInto('record_counts')
    .values([
      { ...today, computer_id: '' },
      { ...today, computer_id: computerId },
    ])
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'computer_id', 'day']).doUpdateSet(({ ref }) => ({
        records: sql<number>`${ref('record_counts.records')} + ${ref('excluded.records')}`,
      })),
    )
    .returning(['computer_id', 'records'])
    .execute();
  const of = (id: string) => counts.find(({ computer_id }) => computer_id === id)?.records ?? 0;
  return { ofAccount: of(''), ofComputer: of(computerId) };
}
