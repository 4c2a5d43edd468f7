import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../database.ts';
import { type Attempt, createLike } from './foreign-keys.ts';
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
 * those that it left in the default partition, which has many of their rows. `attempt` runs each transaction.
 */
export async function createMonths(
  store: Store,
  of: Partitionable,
  { now, attempt }: { now: number; attempt: Attempt },
) {
  const missing = missingMonths((await partitionsOf(store, of)) ?? [], now);
  for (const month of missing) {
    if (await isCrowded(store, of, month)) continue;
    const name = `${of.table}_${month.name}`;
    await attempt((trx) => createLike(trx, { name, like: defaultPartitionOf(of) }));
    await attempt((trx) => attachMonth(trx, of, month));
  }
  const attached = new Set((await partitionsOf(store, of))?.map(({ name }) => name));
  const names = missing.map(({ name }) => `${of.table}_${name}`);
  return { created: names.filter((name) => attached.has(name)), left: names.filter((name) => !attached.has(name)) };
}

const isOfMonth = ({ key }: Partitionable, { from, until }: Month) =>
  sql`${sql.ref(key)} >= ${from} and ${sql.ref(key)} < ${until}`;

/** Whether the default partition has too many rows of a month to move them. */
async function isCrowded(store: Store, of: Partitionable, month: Month): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(defaultPartitionOf(of))} where ${isOfMonth(of, month)}
    limit ${mostMoved + 1}`.execute(store);
  return rows.length > mostMoved;
}

/** Attaches the table of a month, with the rows that came before it, unless another session has done so. */
async function attachMonth(trx: StoreTransaction, of: Partitionable, month: Month): Promise<void> {
  const own = `${of.table}_${month.name}`;
  if ((await partitionsOf(trx, of))?.some(({ name }) => name === own)) return;
  const [rest, partition] = [sql.table(defaultPartitionOf(of)), sql.table(own)];
  await sql`lock table ${rest} in access exclusive mode`.execute(trx);
  await sql`with moved as (delete from ${rest} where ${isOfMonth(of, month)} returning *)
    insert into ${partition} select * from moved`.execute(trx);
  await sql`alter table ${sql.table(of.table)} attach partition ${partition}
    for values from (${sql.lit(month.from)}) to (${sql.lit(month.until)})`.execute(trx);
}
