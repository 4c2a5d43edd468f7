import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../database.ts';

/** The large tables that grow with time, each with its key: a UUID of version 7, which sorts by time. */
export const partitionable = {
  activity: { table: 'activity', key: 'id' },
  notifications: { table: 'notifications', key: 'id' },
  records: { table: 'records', key: 'seq' },
} as const;

export type Partitionable = (typeof partitionable)[keyof typeof partitionable];

export interface Partition {
  readonly name: string;
  /** The first key that may be in it, and the first one after it; undefined for the default partition. */
  readonly range: { readonly from: string; readonly until: string } | undefined;
}

/** A table's partitions; undefined for a plain table. PostgreSQL only. */
export async function partitionsOf(
  store: Store,
  { table }: { readonly table: string },
): Promise<readonly Partition[] | undefined> {
  const { rows } = await sql<{ name: string | null; bounds: string | null }>`
    select child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bounds
    from pg_class as parent
    left join pg_inherits on inhparent = parent.oid
    left join pg_class as child on child.oid = inhrelid
    where parent.oid = to_regclass(${table}) and parent.relkind = 'p'`.execute(store);
  if (rows.length === 0) return undefined;
  // A partition without bounds is one that another session drops at this moment.
  return rows.flatMap(({ name, bounds }) => (name && bounds ? [{ name, range: rangeIn(bounds) }] : []));
}

/** Reads `FOR VALUES FROM ('…') TO ('…')`; undefined for `DEFAULT`. */
function rangeIn(bounds: string): Partition['range'] {
  const [, from = '', until] = /FROM \((?:MINVALUE|'([^']*)')\) TO \('([^']*)'\)/.exec(bounds) ?? [];
  return until === undefined ? undefined : { from, until };
}

/** An advisory lock, so that one session at a time changes partitions. */
const turn = '3853314791062309108';

/** Waits until no other session changes partitions, as long as the transaction may wait for locks. */
export const takePartitionTurn = (trx: StoreTransaction) =>
  sql`select pg_advisory_xact_lock(${sql.lit(turn)}::bigint)`.execute(trx);
