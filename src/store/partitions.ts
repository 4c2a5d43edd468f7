import { sql } from 'kysely';
import type { Store, StoreTransaction } from './database.ts';
import { firstIdOf } from './database.ts';
import { isLockRefusal, limitLockWaits } from './postgres/brief-locks.ts';

// The monthly partitions of large tables on PostgreSQL.

/** The large tables that grow with time, each with its key: a UUID of version 7, which sorts by time. */
export const partitionable = {
  activity: { table: 'activity', key: 'id' },
  notifications: { table: 'notifications', key: 'id' },
  records: { table: 'records', key: 'seq' },
} as const;

export type Partitionable = (typeof partitionable)[keyof typeof partitionable];

interface Partition {
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

/** A calendar month in UTC. */
interface Month {
  /** The end of its partition's name: `2027_01`. */
  readonly name: string;
  /** The first key that may belong to it, and the first one after it. */
  readonly from: string;
  readonly until: string;
}

/** How many months ahead of time there are partitions, so that weeks without a clean-up do no harm. */
const monthsAhead = 2;

/** The month of a time (ms since the epoch) and the next ones. */
function monthsFrom(now: number): Month[] {
  const begin = new Date(now);
  const startOf = (later: number) => Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + later);
  return Array.from({ length: monthsAhead + 1 }, (_, later) => ({
    name: new Date(startOf(later)).toISOString().slice(0, 7).replace('-', '_'),
    from: firstIdOf(startOf(later)),
    until: firstIdOf(startOf(later + 1)),
  }));
}

const has = (partitions: readonly Partition[], { from }: Month): boolean =>
  partitions.some(({ range }) => range && range.from <= from && from < range.until);

/**
 * The partitions of the next month that do not exist. A table without months is not among them: its first clean-up is still
 * ahead. PostgreSQL only.
 */
export async function missingPartitions(store: Store, now: number): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const of of Object.values(partitionable)) {
    const partitions = (await partitionsOf(store, of)) ?? [];
    const next = monthsFrom(now)[1];
    if (next && partitions.some(({ range }) => range) && !has(partitions, next))
      missing.push(`${of.table}_${next.name}`);
  }
  return missing;
}

interface Maintenance {
  /** The first key that is kept. */
  readonly firstKept: string;
  readonly now: number;
}

/**
 * Creates the partitions of the coming months, and drops those whose rows are all outdated. Returns the partitions
 * that may have other outdated rows. Nodes may do this simultaneously. A role that may only
 * change data leaves the partitions as they are.
 */
export async function maintainPartitions(store: Store, of: Partitionable, { firstKept, now }: Maintenance) {
  const partitions = (await partitionsOf(store, of)) ?? [];
  const isOwner = await ownsTable(store, of.table);
  const isOutdated = ({ range }: Partition) => isOwner && range !== undefined && range.until <= firstKept;
  const outdated = partitions.filter(isOutdated);
  const missing = isOwner ? monthsFrom(now).filter((month) => !has(partitions, month)) : [];
  const attempt: Attempt = (work) => inTurn(store, work);
  try {
    for (const month of missing) await createMonth(store, of, { month, attempt });
    for (const { name } of outdated) await dropPartition(store, name, attempt);
  } catch (error) {
    // Another session uses the tables: the next clean-up continues.
    if (!isLockRefusal(error)) throw error;
  }
  return partitions
    .filter((one) => !isOutdated(one) && (one.range === undefined || one.range.from < firstKept))
    .map(({ name }) => name);
}

async function ownsTable(store: Store, table: string): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`
    select pg_has_role(relowner, 'usage') as owns from pg_class where oid = to_regclass(${table})`.execute(store);
  return rows[0]?.owns ?? false;
}

/** Creates the partitions of the coming months, for nodes whose role may only change data. PostgreSQL only. */
export async function createPartitions(store: Store, now: number): Promise<void> {
  for (const of of Object.values(partitionable)) await maintainPartitions(store, of, { firstKept: '', now });
}

/** Runs a short transaction, which may be refused because of its locks. */
type Attempt = (work: (trx: StoreTransaction) => Promise<unknown>) => Promise<unknown>;

/**
 * Milliseconds for which requests may queue behind us: a clean-up has another chance an hour later, so it gives way to
 * everyone else.
 */
const waits = 300;

/** An advisory lock, so that one session at a time changes partitions. */
const turn = '3853314791062309108';

const inTurn = (store: Store, work: (trx: StoreTransaction) => Promise<unknown>) =>
  store.transaction().execute(async (trx) => {
    await limitLockWaits(trx, waits);
    await sql`select pg_advisory_xact_lock(${sql.lit(turn)}::bigint)`.execute(trx);
    await work(trx);
  });

/** Rows that can be moved while requests wait. */
const maxMoved = 10_000;

/**
 * Creates the partition of a month, with the rows that came before it, unless the default partition has too many of
 * them: they stay there, and are deleted one by one.
 */
async function createMonth(store: Store, of: Partitionable, { month, attempt }: { month: Month; attempt: Attempt }) {
  const [own, rest] = [`${of.table}_${month.name}`, `${of.table}_default`];
  const isOfMonth = sql`${sql.ref(of.key)} >= ${month.from} and ${sql.ref(of.key)} < ${month.until}`;
  const { rows: early } = await sql`select from ${sql.table(rest)} where ${isOfMonth} limit ${maxMoved + 1}`.execute(
    store,
  );
  if (early.length > maxMoved) return;
  await attempt((trx) => createLike(trx, { name: own, like: rest }));
  await attempt(async (trx) => {
    if ((await partitionsOf(trx, of))?.some(({ name }) => name === own)) return;
    await sql`lock table ${sql.table(rest)} in access exclusive mode`.execute(trx);
    await sql`with moved as (delete from ${sql.table(rest)} where ${isOfMonth} returning *)
      insert into ${sql.table(own)} select * from moved`.execute(trx);
    await sql`alter table ${sql.table(of.table)} attach partition ${sql.table(own)}
      for values from (${sql.lit(month.from)}) to (${sql.lit(month.until)})`.execute(trx);
  });
}

interface Copy {
  readonly name: string;
  /** A table with the same columns, indexes and foreign keys. */
  readonly like: string;
}

/** Creates an empty table for a later partition, unless an interruption left it. */
async function createLike(trx: StoreTransaction, { name, like }: Copy): Promise<void> {
  await sql`create table if not exists ${sql.table(name)}
    (like ${sql.table(like)} including defaults including indexes)`.execute(trx);
  const known = new Set((await foreignKeysOf(trx, name)).map((key) => key.name));
  for (const key of await foreignKeysOf(trx, like))
    if (!known.has(key.name))
      await sql`alter table ${sql.table(name)} add constraint ${sql.ref(key.name)} ${sql.raw(key.definition)}`.execute(
        trx,
      );
}

/** Drops a partition. Its foreign keys go first, so that no transaction locks `accounts` and the partitioned table. */
async function dropPartition(store: Store, name: string, attempt: Attempt): Promise<void> {
  for (const key of await foreignKeysOf(store, name))
    await attempt(async (trx) => {
      // PostgreSQL would lock the partition first; requests use the referenced table first.
      await sql`lock table ${sql.table(key.references)} in access exclusive mode`.execute(trx);
      await sql`alter table if exists ${sql.table(name)} drop constraint if exists ${sql.ref(key.name)}`.execute(trx);
    });
  await attempt((trx) => sql`drop table if exists ${sql.table(name)}`.execute(trx));
}

interface ForeignKey {
  readonly name: string;
  readonly definition: string;
  /** The table that it references. */
  readonly references: string;
}

/**
 * The foreign keys of a table. Each partition has its own, and the partitioned table none: PostgreSQL would lock
 * `accounts` completely together with the table to combine them, a deadlock with every request that adds a row.
 */
async function foreignKeysOf(store: Store, table: string): Promise<readonly ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`select conname as name, pg_get_constraintdef(pg_constraint.oid) as definition,
      relname as references
    from pg_constraint join pg_class on pg_class.oid = confrelid
    where conrelid = to_regclass(${table}) and contype = 'f' order by conname`.execute(store);
  return rows;
}
