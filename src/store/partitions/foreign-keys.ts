import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../database.ts';

interface ForeignKey {
  readonly name: string;
  readonly definition: string;
  /** The table that it references. */
  readonly references: string;
}

/** Runs a short transaction, which may be refused because of its locks. */
export type Attempt = (work: (trx: StoreTransaction) => Promise<unknown>) => Promise<unknown>;

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

interface Copy {
  readonly name: string;
  /** A table with the same columns, indexes and foreign keys. */
  readonly like: string;
}

/** Creates an empty table for a later partition, unless an interruption left it. */
export async function createLike(trx: StoreTransaction, { name, like }: Copy): Promise<void> {
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
export async function dropPartition(store: Store, name: string, attempt: Attempt): Promise<void> {
  for (const key of await foreignKeysOf(store, name))
    await attempt(async (trx) => {
      // PostgreSQL would lock the partition first; requests use the referenced table first.
      await sql`lock table ${sql.table(key.references)} in access exclusive mode`.execute(trx);
      await sql`alter table if exists ${sql.table(name)} drop constraint if exists ${sql.ref(key.name)}`.execute(trx);
    });
  await attempt((trx) => sql`drop table if exists ${sql.table(name)}`.execute(trx));
}
