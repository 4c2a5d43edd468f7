import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openStore, type Store } from '../../store/database.ts';
import { migrate, migrations, needsUtf8, readMarks, stepsAhead } from '../../store/migrate.ts';

interface Key {
  readonly in_table: string;
  /** A reference such as `account_id > accounts`, or the columns of a primary key or unique index: `(email_key)`. */
  readonly key: string;
}

/**
 * Throws if a table of PostgreSQL lacks a reference, primary key or unique index, which pg_restore creates after the data.
 * The same migrations on an empty SQLite database show which ones belong there. Needs a database without pending migrations.
 */
export async function refuseIncompleteTables(store: Store): Promise<void> {
  const { done } = await readMarks(store);
  // A newer version may have replaced some.
  if ([...done].some((name) => !(name in migrations))) return;
  const { rows } = await sql<Key>`
    select from_table.relname as in_table, attname || ' > ' || to_table.relname as key
    from pg_constraint join pg_class as from_table on from_table.oid = conrelid
      join pg_class as to_table on to_table.oid = confrelid
      join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and from_table.relnamespace = to_regnamespace(current_schema())
    union all
    select relname, '(' || (
      select string_agg(coalesce(attname, ''), ',' order by coalesce(attname, '') collate "C")
      from unnest(indkey::int2[]) as number left join pg_attribute on attrelid = indrelid and attnum = number
    ) || ')'
    from pg_index join pg_class on pg_class.oid = indrelid
    where indisunique and indisvalid and relnamespace = to_regnamespace(current_schema())`.execute(store);
  const found = new Set(rows.map(nameOf));
  const divided = await dividedTables(store);
  const missing = (await expectedKeys()).filter((key) => !found.has(nameOf(key)) && !divided.has(key.in_table));
  if (missing.length === 0) return;
  const [first, ...more] = missing.map(nameOf);
  const names = more.length === 0 ? first : `${first} and ${more.length} more keys`;
  throw new Error(
    `the tables lack ${names}, as after an incomplete restore: restore the whole dump into an empty database`,
  );
}

const nameOf = ({ in_table, key }: Key): string => (key.startsWith('(') ? in_table + key : `${in_table}.${key}`);

/** Their partitions have the keys. */
async function dividedTables(store: Store): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'p' and relnamespace = to_regnamespace(current_schema())`.execute(store);
  return new Set(rows.map(({ name }) => name));
}

/** The keys of this version's tables. */
async function expectedKeys(): Promise<readonly Key[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-doctor-'));
  try {
    await migrate({ dataDir });
    const store = openStore({ dataDir }, { readOnly: true });
    const { rows } = await sql<Key>`
      select made.name as in_table, reference."from" || ' > ' || reference."table" as key
      from sqlite_schema as made join pragma_foreign_key_list(made.name) as reference where made.type = 'table'
      union all
      select made.name, '(' || (
        select group_concat(name, ',')
        from (select coalesce(name, '') as name from pragma_index_info(found.name) order by 1)
      ) || ')'
      from sqlite_schema as made join pragma_index_list(made.name) as found
      where made.type = 'table' and found."unique"`.execute(store);
    await store.destroy();
    return rows;
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

interface Role {
  readonly role: string;
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly encoding: string;
  /** Null if no schema of the search path exists. */
  readonly schema: string | null;
  readonly creates: boolean;
  /** A table of another role's. */
  readonly foreign_table: string | null;
  /** A table whose rows it may not change. */
  readonly unchangeable: string | null;
}

/**
 * Throws if the service could not start with what this role may do in PostgreSQL. It needs all tables to itself, or, once
 * another role has migrated them, the right to change their rows.
 */
export async function refuseUnusableRole(store: Store): Promise<void> {
  const { rows } = await sql<Role>`select current_user as role, pg_is_in_recovery() as standby,
    current_setting('default_transaction_read_only') = 'on' as read_only,
    current_setting('server_encoding') as encoding, current_schema() as schema,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as creates,
    (select min(relname::text) from pg_class where relnamespace = to_regnamespace(current_schema())
      and relname in ('accounts', 'kysely_migration') and not pg_has_role(relowner, 'usage')) as foreign_table,
    (select min(relname::text) from pg_class where relnamespace = to_regnamespace(current_schema())
      and relkind in ('r', 'p') and not (has_table_privilege(oid, 'select') and (relname in ('kysely_migration', 'oldest_code')
        or (has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))))
    ) as unchangeable`.execute(store);
  const [found] = rows;
  const problem = found && (problemOf(found) ?? (await problemOfTables(store, found)));
  if (problem) throw new Error(problem);
}

/** With tables of another role, which that role migrates. */
async function problemOfTables(store: Store, { role, ...found }: Role): Promise<string | undefined> {
  if (found.unchangeable && found.foreign_table)
    return `${role} does not own the table ${found.foreign_table}, and may not change the rows of ${found.unchangeable}: reassign the tables to it, or grant select, insert, update and delete on all tables`;
  const ahead = found.foreign_table ? await stepsAhead(store) : 0;
  return ahead === 0
    ? undefined
    : `${ahead} pending migrations, which ${role} may not run: run vestibule migrate with the role that owns the tables`;
}

function problemOf(found: Role): string | undefined {
  const { role, schema } = found;
  if (found.standby) return 'this PostgreSQL is a standby, which accepts no writes';
  if (found.read_only) return `default_transaction_read_only is on for ${role}: it cannot write`;
  if (schema === null) return `no schema in the search_path of ${role} exists`;
  if (!found.creates && !found.foreign_table)
    return `${role} may not create tables in the schema ${schema}: make it the owner of the database`;
  return found.encoding === 'UTF8' ? undefined : needsUtf8(found.encoding);
}
