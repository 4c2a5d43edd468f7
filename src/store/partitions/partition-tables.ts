import { sql } from 'kysely';
import { iso } from '../../contract/iso-time.ts';
import { SettingsError } from '../../contract/settings-error.ts';
import type { Store } from '../database.ts';
import { requireCode } from '../migration-marks.ts';
import { cannotLock, isLockRefusal, limitLockWaits, withBriefLocks } from '../postgres/brief-locks.ts';
import { becomePartition } from './become-partition.ts';
import { setBoundary, validateBoundary } from './boundary.ts';
import { createMonths, defaultPartitionOf, monthsAhead } from './create-months.ts';
import { type Attempt, createLike } from './foreign-keys.ts';
import { type Month, monthOf } from './months.ts';
import { type Partitionable, partitionable, partitionsOf, takePartitionTurn } from './partitions.ts';

interface Partitioned {
  readonly table: string;
  /** False if it had partitions before. */
  readonly converted: boolean;
  /** The months that got a partition, as in `activity_2027_01`. */
  readonly created: readonly string[];
  /** The months that stay in the default partition, which has too many of their rows. */
  readonly left: readonly string[];
}

/** Code that knows this migration works with partitions. */
const oldestCode = '0220-partitions';

/**
 * Gives the large tables monthly partitions, while nodes work. May be repeated after an interruption: each table is
 * either plain or converted. PostgreSQL only; `store` must not limit how long statements take. Throws a
 * `SettingsError` if another session is in the way.
 */
export function partitionTables(store: Store, now: number): Promise<Partitioned[]> {
  // This transaction holds the turn meanwhile, without a snapshot; the statements run on other connections.
  return store.transaction().execute(async (trx) => {
    try {
      await limitLockWaits(trx);
      await takePartitionTurn(trx);
      const partitioned: Partitioned[] = [];
      for (const table of Object.values(partitionable)) partitioned.push(await partitionTable(store, table, now));
      return partitioned;
    } catch (error) {
      if (!isLockRefusal(error)) throw error;
      throw new SettingsError(cannotLock('`vestibule partition`'), { cause: error });
    }
  });
}

async function partitionTable(store: Store, of: Partitionable, now: number): Promise<Partitioned> {
  const { table } = of;
  const attempt: Attempt = (work) => withBriefLocks(store, work);
  if (await partitionsOf(store, of))
    return { table, converted: false, ...(await createMonths(store, of, { now, attempt })) };
  // Late enough that no row reaches the boundary before the table has partitions.
  const month = monthOf(now, monthsAhead);
  await refuseLaterRows(store, of, month);
  await attempt((trx) => createLike(trx, { name: defaultPartitionOf(of), like: table }));
  await attempt((trx) => setBoundary(trx, of, month));
  await attempt((trx) => validateBoundary(trx, of, month));
  await attempt(async (trx) => {
    await becomePartition(trx, of, month);
    await requireCode(trx, oldestCode);
  });
  return { table, converted: true, ...(await createMonths(store, of, { now, attempt })) };
}

/** Rows of the far future, which only a node with a wrong clock writes. */
async function refuseLaterRows(store: Store, { table, key }: Partitionable, { from, start }: Month): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${sql.ref(key)} >= ${from}`.execute(store);
  const count = Number(rows[0]?.count);
  if (count === 0) return;
  throw new SettingsError(
    `DATABASE_URL: ${table} has rows with a time after ${iso(start)}, because the clock of a node was wrong (${count}): delete them (delete from ${table} where ${key} >= '${from}'), then start again`,
  );
}
