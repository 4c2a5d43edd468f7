import { sql } from 'kysely';
import type { StoreTransaction } from '../database.ts';
import { boundaryOf, findBoundary } from './boundary.ts';
import { defaultPartitionOf } from './create-months.ts';
import type { Month } from './months.ts';
import type { Partitionable } from './partitions.ts';

/**
 * Makes a plain table the first partition of a new table with its name, and attaches the default partition. Reads no
 * rows: the validated boundary and the indexes of the plain table prove what PostgreSQL would check. Locks no other table.
 */
export async function becomePartition(trx: StoreTransaction, of: Partitionable, month: Month): Promise<void> {
  const first = boundaryOf(of, month);
  const [table, before, rest] = [sql.table(of.table), sql.table(first), sql.table(defaultPartitionOf(of))];
  await sql`lock table ${table} in access exclusive mode`.execute(trx);
  // Without it, the next statements would read the whole table.
  if (!(await findBoundary(trx, of))?.isValidated) throw new Error(`the boundary of ${of.table} was removed meanwhile`);
  const indexes = await indexesOf(trx, of.table);
  await sql`alter table ${table} rename to ${before}`.execute(trx);
  for (const { name } of indexes)
    await sql`alter index ${sql.ref(name)} rename to ${sql.ref(name.replace(of.table, first))}`.execute(trx);
  await sql`create table ${table} (like ${before} including defaults, primary key (${sql.ref(of.key)}))
    partition by range (${sql.ref(of.key)})`.execute(trx);
  // A unique index without the key, such as `records_once`, is possible on each partition only.
  for (const { name, isUnique, using } of indexes)
    if (!isUnique) await sql`create index ${sql.ref(name)} on ${table} ${sql.raw(using)}`.execute(trx);
  await sql`alter table ${table} attach partition ${before}
    for values from (minvalue) to (${sql.lit(month.from)})`.execute(trx);
  await sql`alter table ${before} drop constraint ${sql.ref(first)}`.execute(trx);
  await sql`alter table ${table} attach partition ${rest} default`.execute(trx);
}

interface Index {
  readonly name: string;
  readonly isUnique: boolean;
  /** Its definition from `using` on, which does not name the table. */
  readonly using: string;
}

async function indexesOf(trx: StoreTransaction, table: string): Promise<readonly Index[]> {
  const { rows } = await sql<Index>`
    select relname as name, indisunique as "isUnique",
      substring(pg_get_indexdef(indexrelid) from ' (USING .*)$') as using
    from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = to_regclass(${table}) and indisvalid`.execute(
    trx,
  );
  return rows;
}
