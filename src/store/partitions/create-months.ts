import { sql } from 'kysely';
import type { StoreTransaction } from '../database.ts';
import { type Month, monthOf } from './months.ts';
import { type Partition, type Partitionable, partitionsOf } from './partitions.ts';

/** How many months ahead of time there are partitions, so that weeks without a clean-up do no harm. */
export const monthsAhead = 2;

/** Rows that can be moved while requests wait. */
const mostMoved = 10_000;

/** The name of the partition with rows of no other one, such as those of a node whose clock is ahead. */
export const defaultPartitionOf = ({ table }: Partitionable): string => `${table}_default`;

/** This month and the next ones, as far as they have no partition. */
export function missingMonths(partitions: readonly Partition[], now: number): Month[] {
  const months = Array.from({ length: monthsAhead + 1 }, (_, later) => monthOf(now, later));
  return months.filter(
    ({ from }) => !partitions.some(({ range }) => range && range.from <= from && from < range.until),
  );
}

/**
 * Creates the partitions of a partitioned table for missing months. Returns the names of those that it created, and of
 * those that it left in the default partition, which has many of their rows.
 */
export async function createMonths(trx: StoreTransaction, of: Partitionable, now: number) {
  const [created, left]: [string[], string[]] = [[], []];
  for (const month of missingMonths((await partitionsOf(trx, of)) ?? [], now)) {
    const isCreated = await createMonth(trx, of, month);
    (isCreated ? created : left).push(`${of.table}_${month.name}`);
  }
  return { created, left };
}

/** False if the default partition has too many rows of the month. */
async function createMonth(trx: StoreTransaction, of: Partitionable, { name, from, until }: Month): Promise<boolean> {
  const [parent, rest] = [sql.table(of.table), sql.table(defaultPartitionOf(of))];
  const partition = sql.table(`${of.table}_${name}`);
  const isOfMonth = sql`${sql.ref(of.key)} >= ${from} and ${sql.ref(of.key)} < ${until}`;
  // The locks that PostgreSQL takes for the new partition, in the order in which requests use the tables.
  await lockReferenced(trx, of, 'share row exclusive');
  await sql`lock table ${rest} in access exclusive mode`.execute(trx);
  const { rows } = await sql`select from ${rest} where ${isOfMonth} limit ${mostMoved + 1}`.execute(trx);
  if (rows.length > mostMoved) return false;
  // The default partition has the same indexes, also the unique ones that the partitioned table cannot have.
  await sql`create table ${partition} (like ${rest} including defaults including indexes)`.execute(trx);
  await sql`with moved as (delete from ${rest} where ${isOfMonth} returning *)
    insert into ${partition} select * from moved`.execute(trx);
  await sql`alter table ${parent} attach partition ${partition}
    for values from (${sql.lit(from)}) to (${sql.lit(until)})`.execute(trx);
  return true;
}

/** Locks the tables that a table references. */
export async function lockReferenced(
  trx: StoreTransaction,
  { table }: Partitionable,
  mode: 'share row exclusive' | 'access exclusive',
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select distinct class.relname as name from pg_constraint join pg_class as class on class.oid = confrelid
    where conrelid = to_regclass(${table}) and contype = 'f' order by name`.execute(trx);
  for (const { name } of rows) await sql`lock table ${sql.table(name)} in ${sql.raw(mode)} mode`.execute(trx);
}
