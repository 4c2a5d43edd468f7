import { sql } from 'kysely';
import type { Store } from '../database.ts';
import type { Month } from './months.ts';
import type { Partitionable } from './partitions.ts';

/** The check that a plain table has only rows before a month: with it, the table becomes a partition without a scan. */
interface Boundary {
  readonly name: string;
  readonly isValidated: boolean;
}

/** The name of the boundary, and later of the partition with the rows before a month. */
export const boundaryOf = ({ table }: Partitionable, { name }: Month): string => `${table}_before_${name}`;

export async function findBoundary(store: Store, { table }: Partitionable): Promise<Boundary | undefined> {
  const { rows } = await sql<Boundary>`select conname as name, convalidated as "isValidated" from pg_constraint
    where conrelid = to_regclass(${table}) and contype = 'c' and starts_with(conname, ${`${table}_before_`})`.execute(
    store,
  );
  return rows[0];
}

export async function dropBoundary(store: Store, of: Partitionable): Promise<void> {
  const boundary = await findBoundary(store, of);
  if (!boundary) return;
  await sql`alter table ${sql.table(of.table)} drop constraint ${sql.ref(boundary.name)}`.execute(store);
}

/** Sets the boundary before a month, without reading the table. */
export async function setBoundary(store: Store, of: Partitionable, month: Month): Promise<void> {
  const name = boundaryOf(of, month);
  if ((await findBoundary(store, of))?.name === name) return;
  await dropBoundary(store, of);
  await sql`alter table ${sql.table(of.table)} add constraint ${sql.ref(name)}
    check (${sql.ref(of.key)} < ${sql.lit(month.from)}) not valid`.execute(store);
}

/** Reads the whole table, while requests read and write it. */
export const validateBoundary = (store: Store, of: Partitionable, month: Month) =>
  sql`alter table ${sql.table(of.table)} validate constraint ${sql.ref(boundaryOf(of, month))}`.execute(store);
