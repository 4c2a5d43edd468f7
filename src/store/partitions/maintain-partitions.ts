import type { Store } from '../database.ts';
import { isLockRefusal, limitLockWaits } from '../postgres/brief-locks.ts';
import { dropBoundary, findBoundary } from './boundary.ts';
import { createMonths, missingMonths } from './create-months.ts';
import { type Attempt, dropPartition } from './foreign-keys.ts';
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
    if (await findBoundary(store, of)) await inTurn(store, (attempt) => attempt((trx) => dropBoundary(trx, of)));
    return [of.table];
  }
  const isOutdated = ({ range }: Partition) => range !== undefined && range.until <= firstKept;
  const outdated = partitions.filter(isOutdated);
  if (outdated.length > 0 || missingMonths(partitions, now).length > 0)
    await inTurn(store, async (attempt) => {
      await createMonths(store, of, { now, attempt });
      for (const { name } of outdated) await dropPartition(store, name, attempt);
    });
  return partitions
    .filter((one) => !isOutdated(one) && (one.range === undefined || one.range.from < firstKept))
    .map(({ name }) => name);
}

/**
 * Milliseconds for which requests may queue behind us: a clean-up has another chance an hour later, so it gives way to
 * everyone else.
 */
const waits = 300;

/** Changes partitions, unless another session does so or uses the tables: the next clean-up continues. */
async function inTurn(store: Store, change: (attempt: Attempt) => Promise<unknown>): Promise<void> {
  const attempt: Attempt = (work) =>
    store.transaction().execute(async (trx) => {
      await limitLockWaits(trx, waits);
      await takePartitionTurn(trx);
      await work(trx);
    });
  await change(attempt).catch((error: unknown) => {
    if (!isLockRefusal(error)) throw error;
  });
}
