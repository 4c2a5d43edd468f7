import { sql } from 'kysely';
import type { Store, StoreTransaction } from './database.ts';

/**
 * Creates the table of Kysely's migrator, which earlier versions used, and the one for the oldest code that may run.
 */
export async function makeMarks(trx: StoreTransaction): Promise<void> {
  await sql`create table if not exists kysely_migration
    (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(trx);
  await sql`create table if not exists oldest_code (migration varchar(255) not null primary key)`.execute(trx);
}

interface Marks {
  /** The migrations that are complete, and the first half (`halfOf`) of one that is not. */
  readonly done: ReadonlySet<string>;
  /** The migration that code must know to use this database; empty if any code may. */
  readonly floor: string;
}

export async function readMarks(store: Store, { hasFloors = true } = {}): Promise<Marks> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(store);
  const done = new Set(rows.map(({ name }) => name));
  if (!hasFloors) return { done, floor: '' };
  const floors = await sql<{ migration: string }>`select migration from oldest_code`.execute(store);
  return {
    done,
    floor:
      floors.rows
        .map(({ migration }) => migration)
        .sort()
        .at(-1) ?? '',
  };
}

/** The record of a migration whose `up` is done and whose `upOnline` is not. */
export const halfOf = (name: string): string => `${name}: up`;

export const markHalf = (trx: StoreTransaction, name: string): Promise<void> => insertMark(trx, halfOf(name));

/** Records a complete migration, and the oldest code that may run after it. */
export async function mark(trx: StoreTransaction, name: string, oldestCode: string): Promise<void> {
  await insertMark(trx, name);
  await sql`delete from kysely_migration where name = ${halfOf(name)}`.execute(trx);
  await sql`insert into oldest_code (migration) values (${oldestCode}) on conflict do nothing`.execute(trx);
}

/** Forgets migrations that another one replaces. */
export async function dropMarks(trx: StoreTransaction, names: readonly string[]): Promise<void> {
  await sql`delete from kysely_migration where name in (${sql.join(names)})`.execute(trx);
  await sql`delete from oldest_code where migration in (${sql.join(names)})`.execute(trx);
}

async function insertMark(trx: StoreTransaction, name: string): Promise<void> {
  const at = new Date().toISOString();
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${at})`.execute(trx);
}
