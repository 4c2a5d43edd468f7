import { sql } from 'kysely';
import type { Store } from '../../store/database.ts';
import { missingMonths } from '../../store/partitions/create-months.ts';
import { monthOf } from '../../store/partitions/months.ts';
import { type Partitionable, partitionable, partitionsOf } from '../../store/partitions/partitions.ts';
import type { CheckResult } from './finding.ts';

/** Beyond this many rows, dropping a month instead of deleting its rows is worth a partitioned table. */
const manyRows = 10_000_000;

/** Checks the tables that `vestibule partition` divides. PostgreSQL only. Throws if the next month has no partition. */
export async function examinePartitions(store: Store, now: number): Promise<CheckResult> {
  const [divided, large, missing]: [string[], string[], string[]] = [[], [], []];
  const next = monthOf(now, 1).name;
  for (const of of Object.values(partitionable)) {
    const partitions = await partitionsOf(store, of);
    if (partitions) {
      divided.push(of.table);
      // The clean-up creates later months within the hour in which they are due.
      if (missingMonths(partitions, now).some(({ name }) => name === next)) missing.push(`${of.table}_${next}`);
    } else {
      const rows = await estimatedRows(store, of);
      if (rows >= manyRows) large.push(`${of.table} (about ${rows} rows)`);
    }
  }
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} missing, see the log of the clean-up: run vestibule partition`);
  if (large.length > 0)
    return { warning: `${large.join(', ')}: vestibule partition lets the clean-up drop whole months in one step` };
  return divided.length > 0 ? `monthly: ${divided.join(', ')}` : 'none: no table is large';
}

/** The estimate of the last `analyze`, which PostgreSQL runs automatically. */
async function estimatedRows(store: Store, { table }: Partitionable): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select reltuples::bigint as rows from pg_class where oid = to_regclass(${table})`.execute(store);
  return Number(rows[0]?.rows ?? 0);
}
