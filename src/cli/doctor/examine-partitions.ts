import { sql } from 'kysely';
import type { Store } from '../../store/database.ts';
import { missingMonths } from '../../store/partitions/create-months.ts';
import { type Partitionable, partitionable, partitionsOf } from '../../store/partitions/partitions.ts';
import type { CheckResult } from './finding.ts';

/** Beyond this many rows, dropping a month instead of deleting its rows is worth a partitioned table. */
const manyRows = 10_000_000;

/** Checks the tables that `vestibule partition` divides. PostgreSQL only. Throws if a month has no partition. */
export async function examinePartitions(store: Store, now: number): Promise<CheckResult> {
  const [plain, large, divided, missing]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const of of Object.values(partitionable)) {
    const partitions = await partitionsOf(store, of);
    const rows = partitions ? 0 : await estimatedRows(store, of);
    if (rows >= manyRows) large.push(`${of.table} (about ${rows} rows)`);
    (partitions ? divided : plain).push(of.table);
    missing.push(
      ...missingMonths(partitions ?? [], now).flatMap(({ name }) => (partitions ? [`${of.table}_${name}`] : [])),
    );
  }
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} missing: the clean-up could not create them; run vestibule partition`);
  if (large.length > 0)
    return { warning: `${large.join(', ')}: vestibule partition lets the clean-up drop a month at once` };
  if (divided.length === 0) return 'none: no table is large';
  return [`monthly: ${divided.join(', ')}`, ...(plain.length > 0 ? [`plain: ${plain.join(', ')}`] : [])].join('; ');
}

/** As of the last `analyze`, which PostgreSQL runs automatically. */
async function estimatedRows(store: Store, { table }: Partitionable): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select reltuples::bigint as rows from pg_class where oid = to_regclass(${table})`.execute(store);
  return Number(rows[0]?.rows ?? 0);
}
