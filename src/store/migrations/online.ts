import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../database.ts';
import { partitionsOf } from '../partitions.ts';
import { withBriefLocks } from '../postgres/brief-locks.ts';

interface Index {
  readonly name: string;
  /** The rest of the statement, such as `outbox (gave_up_at) where gave_up_at is not null`. */
  readonly on: string;
}

/** An index whose creation was interrupted stays invalid, and is created again. */
const maxTries = 5;

/**
 * Creates an index that is not unique. On PostgreSQL, requests read and write the table meanwhile, which may have
 * partitions. May be repeated.
 */
export async function createIndexOnline(db: Kysely<any>, { name, on }: Index): Promise<void> {
  if (engineOf(db) === 'sqlite') {
    await sql`create index if not exists ${sql.ref(name)} on ${sql.raw(on)}`.execute(db);
    return;
  }
  const table = /^\w+/.exec(on)?.[0] ?? '';
  if (await partitionsOf(db, { table }))
    await createIndexOnPartitions(db, { table, name, columns: on.slice(table.length) });
  else await createIndexConcurrently(db, { name, on });
}

interface PartitionedIndex {
  readonly table: string;
  readonly name: string;
  readonly columns: string;
}

/** PostgreSQL refuses `concurrently` for a partitioned table. Later partitions get the index by themselves. */
async function createIndexOnPartitions(db: Kysely<any>, { table, name, columns }: PartitionedIndex): Promise<void> {
  const index = sql.ref(name);
  await withBriefLocks(db, (trx) =>
    sql`create index if not exists ${index} on only ${sql.table(table)} ${sql.raw(columns)}`.execute(trx),
  );
  const { rows: lacking } = await sql<{ partition: string }>`
    select relname as partition from pg_inherits as part join pg_class on pg_class.oid = part.inhrelid
    where part.inhparent = to_regclass(${table}) and not exists (
      select from pg_inherits as own join pg_index on indexrelid = own.inhrelid
      where own.inhparent = to_regclass(${name}) and indrelid = part.inhrelid)`.execute(db);
  for (const { partition } of lacking) {
    const own = `${partition}_${name}`;
    await createIndexConcurrently(db, { name: own, on: `${partition}${columns}` });
    await withBriefLocks(db, (trx) => sql`alter index ${index} attach partition ${sql.ref(own)}`.execute(trx));
  }
}

async function createIndexConcurrently(db: Kysely<any>, { name, on }: Index): Promise<void> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    if ((await stateOf(db, name)) === 'invalid') await sql`drop index concurrently ${sql.ref(name)}`.execute(db);
    await sql`create index concurrently if not exists ${sql.ref(name)} on ${sql.raw(on)}`.execute(db);
    if ((await stateOf(db, name)) === 'valid') return;
  }
  throw new Error(`the index ${name} is invalid after ${maxTries} attempts to create it`);
}

async function stateOf(db: Kysely<any>, name: string): Promise<'valid' | 'invalid' | 'absent'> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  if (!rows[0]) return 'absent';
  return rows[0].valid ? 'valid' : 'invalid';
}

/** Few enough that a batch takes some 100 ms, during which requests wait that change one of its rows. */
const batchSize = 5000;

interface Update {
  readonly table: string;
  /** The assignments, such as `email_proven_at = created_at`. */
  readonly set: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
}

/** Updates a table with a text primary key `id`, in batches that commit one by one. May be repeated. */
export async function updateInBatches(db: Kysely<any>, { table, set, where }: Update): Promise<void> {
  for (let after = ''; ; ) {
    const { rows } = await sql<{ last: string | null }>`select max(id) as last from
      (select id from ${sql.table(table)} where id > ${after} order by id limit ${batchSize}) as batch`.execute(db);
    const last = rows[0]?.last;
    if (!last) return;
    await sql`update ${sql.table(table)} set ${set} where id > ${after} and id <= ${last} and ${where}`.execute(db);
    after = last;
  }
}
