import { sql } from 'kysely';
import type { StoreTransaction } from '../database.ts';
import { boundaryOf, findBoundary } from './boundary.ts';
import { defaultPartitionOf, lockReferenced } from './create-months.ts';
import type { Month } from './months.ts';
import type { Partitionable } from './partitions.ts';

/**
 * Makes a plain table the first partition of a new table with its name, and adds a default partition. Reads no rows: the
 * validated boundary, the indexes and the foreign keys of the plain table prove what PostgreSQL would check.
 */
export async function becomePartition(trx: StoreTransaction, of: Partitionable, month: Month): Promise<void> {
  const first = boundaryOf(of, month);
  const [table, before, rest] = [sql.table(of.table), sql.table(first), sql.table(defaultPartitionOf(of))];
  // PostgreSQL replaces the triggers with which foreign keys watch the referenced tables. Requests lock those first.
  await lockReferenced(trx, of, 'access exclusive');
  await sql`lock table ${table} in access exclusive mode`.execute(trx);
  // Without it, the next statements would read the whole table.
  if (!(await findBoundary(trx, of))?.isValidated) throw new Error(`the boundary of ${of.table} was removed meanwhile`);
  const indexes = await indexesOf(trx, of.table);
  await sql`alter table ${table} rename to ${before}`.execute(trx);
  for (const { name } of indexes)
    await sql`alter index ${sql.ref(name)} rename to ${sql.ref(name.replace(of.table, first))}`.execute(trx);
  await sql`create table ${table} (like ${before} including defaults) partition by range (${sql.ref(of.key)})`.execute(
    trx,
  );
  for (const { name, definition } of await constraintsOf(trx, first))
    await sql`alter table ${table} add constraint ${sql.ref(name.replace(first, of.table))} ${sql.raw(definition)}`.execute(
      trx,
    );
  // A unique index without the key, such as `records_once`, is possible on each partition only.
  for (const { name, isConstraint, isUnique, using } of indexes)
    if (!isConstraint && !isUnique) await sql`create index ${sql.ref(name)} on ${table} ${sql.raw(using)}`.execute(trx);
  await sql`alter table ${table} attach partition ${before}
    for values from (minvalue) to (${sql.lit(month.from)})`.execute(trx);
  await sql`alter table ${before} drop constraint ${sql.ref(first)}`.execute(trx);
  await sql`create table ${rest} (like ${before} including defaults including indexes)`.execute(trx);
  await sql`alter table ${table} attach partition ${rest} default`.execute(trx);
}

interface Index {
  readonly name: string;
  readonly isConstraint: boolean;
  readonly isUnique: boolean;
  /** Its definition from `using` on, which does not name the table. */
  readonly using: string;
}

async function indexesOf(trx: StoreTransaction, table: string): Promise<readonly Index[]> {
  const { rows } = await sql<Index>`
    select relname as name, indisunique as "isUnique",
      exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u')) as "isConstraint",
      substring(pg_get_indexdef(indexrelid) from ' (USING .*)$') as using
    from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = to_regclass(${table}) and indisvalid`.execute(
    trx,
  );
  return rows;
}

/** The primary key and the foreign keys of a table. */
async function constraintsOf(trx: StoreTransaction, table: string) {
  const { rows } = await sql<{ name: string; definition: string }>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = to_regclass(${table}) and contype in ('p', 'f')`.execute(trx);
  return rows;
}
