import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../database.ts';
import { isLockRefusal, limitLockWaits } from '../postgres/brief-locks.ts';
import { dropBoundary, findBoundary } from './boundary.ts';
import { createMonths, missingMonths } from './create-months.ts';
import { type Partition, type Partitionable, partitionsOf, takePartitionTurn } from './partitions.ts';

interface Maintenance {
  /** The first key that is kept. */
  readonly firstKept: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Creates the partitions of the coming months, and drops those whose rows are all outdated. Returns the tables that may
 * have other outdated rows: the plain table itself, or partitions. Nodes may do this simultaneously.
 */
export async function maintainPartitions(store: Store, of: Partitionable, { firstKept, now }: Maintenance) {
  const partitions = await partitionsOf(store, of);
  if (!partitions) {
    // Left by an interrupted conversion: it would refuse the rows of later months.
    if (await findBoundary(store, of)) await inTurn(store, (trx) => dropBoundary(trx, of));
    return [of.table];
  }
  const isOutdated = ({ range }: Partition) => range !== undefined && range.until <= firstKept;
  for (const { name } of partitions.filter(isOutdated))
    await inTurn(store, (trx) => sql`drop table if exists ${sql.table(name)}`.execute(trx));
  if (missingMonths(partitions, now).length > 0) await inTurn(store, (trx) => createMonths(trx, of, now));
  return partitions
    .filter((one) => !isOutdated(one) && (one.range === undefined || one.range.from < firstKept))
    .map(({ name }) => name);
}

/**
 * Milliseconds for which requests may queue behind us: a clean-up has another chance an hour later, so it gives way to
 * everyone else.
 */
const waits = 300;

/** Changes partitions, unless another session does so or uses the table: the next clean-up tries again. */
async function inTurn(store: Store, change: (trx: StoreTransaction) => Promise<unknown>): Promise<void> {
  try {
    await store.transaction().execute(async (trx) => {
      await limitLockWaits(trx, waits);
      if (await takePartitionTurn(trx)) await change(trx);
    });
  } catch (error) {
    if (!isLockRefusal(error)) throw error;
  }
}
