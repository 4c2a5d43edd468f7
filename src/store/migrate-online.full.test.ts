import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  freshDatabase,
  migratedDatabase,
  openTestStore,
  type TestDatabase,
  withLongTimeouts,
  withPostgres,
} from '../testing/databases/databases.ts';
import { openStore, type Store } from './database.ts';
import { type Migration, migrate, migrations } from './migrate.ts';
import { createIndexOnline, updateInBatches } from './migrations/online.ts';

const people: Migration = {
  oldestCode: '0001-people',
  up: async (db) => {
    await sql`create table people (id text primary key, name text)`.execute(db);
    await sql`insert into people select id::text, 'Ada' from generate_series(1, 20000) as id`.execute(db);
  },
};

const number = (rows: readonly { readonly n: number }[]) => Number(rows[0]?.n);

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(20);
}

/** Whether a session waits for a lock on a table. */
async function isAwaited(store: Store, table: string): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_locks
    where not granted and relation = to_regclass(${table})
      and database = (select oid from pg_database where datname = current_database())`.execute(store);
  return number(rows) > 0;
}

describe.runIf(withPostgres)('migrating PostgreSQL while nodes work', () => {
  test('requests do not queue behind a migration that waits for a table, which runs once the table is free', async () => {
    const database = await freshDatabase('postgres');
    await migrate(database, { steps: { '0001-people': people } });
    const [holder, reader] = [openTestStore(database), openTestStore(database)];
    const addColumn: Migration = {
      oldestCode: '0001-people',
      up: (db) => db.schema.alterTable('people').addColumn('age', 'integer').execute(),
    };
    let migrating: Promise<unknown> | undefined;
    await holder.transaction().execute(async (trx) => {
      await sql`select * from people limit 1`.execute(trx);
      migrating = migrate(database, { steps: { '0001-people': people, '0002-age': addColumn } });
      await waitFor(() => isAwaited(reader, 'people'));
      // Without a lock timeout, this statement would wait until the holder ends, which waits for it.
      await sql`select * from people limit 1`.execute(reader);
    });
    await migrating;
    await sql`select age from people limit 1`.execute(reader);
  });

  test('a table that stays locked is reported in one sentence, and nothing of the migration remains', async () => {
    const database = await freshDatabase('postgres');
    await migrate(database, { steps: { '0001-people': people } });
    const holder = openTestStore(database);
    const step: Migration = {
      oldestCode: '0001-people',
      up: async (db) => {
        await sql`create table others (id integer)`.execute(db);
        await sql`alter table people add column age integer`.execute(db);
      },
    };
    await holder.transaction().execute(async (trx) => {
      await sql`select * from people limit 1`.execute(trx);
      await expect(migrate(database, { steps: { '0001-people': people, '0002-age': step }, tries: 1 })).rejects.toThrow(
        /^DATABASE_URL: a migration cannot lock its table.*pg_dump.*pg_stat_activity/,
      );
    });
    await expect(sql`select * from others`.execute(holder)).rejects.toThrow(/others/);
  });

  test('writes continue while an index is created, and other nodes wait without blocking it', async () => {
    const database = await freshDatabase('postgres');
    await migrate(database, { steps: { '0001-people': people } });
    const [writer, other] = [openTestStore(database), openTestStore(database)];
    const index: Migration = {
      oldestCode: '0001-people',
      upOnline: (db) => createIndexOnline(db, { name: 'people_name', on: 'people (name)' }),
    };
    const steps = { '0001-people': people, '0002-index': index };
    let migrating: Promise<unknown> | undefined;
    await writer.transaction().execute(async (trx) => {
      // The index waits for this transaction to end; an index that is not concurrent would block the next write.
      await sql`update people set name = 'Bob' where id = '1'`.execute(trx);
      migrating = Promise.all([migrate(database, { steps }), migrate(database, { steps })]);
      await waitFor(() => isBuilding(other));
      await sql`update people set name = 'Cleo' where id = '2'`.execute(other);
    });
    await migrating;
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_index
      where indexrelid = 'people_name'::regclass and indisvalid`.execute(other);
    expect(number(rows)).toBe(1);
  });

  test('an interrupted migration continues with its second half, and replaces an index that was left invalid', async () => {
    const database = await freshDatabase('postgres');
    const store = openTestStore(database);
    let isBroken = true;
    const step: Migration = {
      oldestCode: '0001-people',
      up: (db) => db.schema.alterTable('people').addColumn('born', 'integer').execute(),
      upOnline: async (db) => {
        await updateInBatches(db, { table: 'people', set: sql`born = 1815`, where: sql`born is null` });
        if (isBroken) {
          await sql`create unique index concurrently people_name on people (name)`.execute(db);
        }
        await createIndexOnline(db, { name: 'people_name', on: 'people (name)' });
      },
    };
    const steps = { '0001-people': people, '0002-born': step };
    // All have the same name, so the unique index fails, and PostgreSQL leaves it behind as invalid.
    await expect(migrate(database, { steps })).rejects.toThrow(/people_name/);
    const born = await sql<{ n: number }>`select count(*) as n from people where born = 1815`.execute(store);
    expect(number(born.rows)).toBe(20_000);
    isBroken = false;
    await migrate(database, { steps });
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_index
      where indexrelid = 'people_name'::regclass and indisvalid and not indisunique`.execute(store);
    expect(number(rows)).toBe(1);
    const marks = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(store);
    expect(marks.rows.map(({ name }) => name)).toEqual(['0001-people', '0002-born']);
  });
});

/** Whether `create index concurrently` waits for the transactions that began before it. */
async function isBuilding(store: Store): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_progress_create_index
    where datname = current_database() and command = 'CREATE INDEX CONCURRENTLY' and phase like 'waiting%'`.execute(
    store,
  );
  return number(rows) > 0;
}

/** Tables that have a few thousand rows at three million accounts. */
const alwaysSmall = ['email_changes', 'keys', 'promo_codes', 'write_probes', 'kysely_migration', 'oldest_code'];

/** How often each table with rows was read in full or changed in this transaction, and the file that has its rows. */
async function workOn(db: Kysely<unknown>): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; work: string }>`
    select stat.relname as name,
      concat_ws(' ', class.relfilenode, seq_scan, n_tup_ins, n_tup_upd, n_tup_del) as work
    from pg_stat_xact_user_tables as stat join pg_class as class on class.oid = stat.relid
    where stat.relname <> all(${alwaysSmall})`.execute(db);
  return new Map(rows.map(({ name, work }) => [name, work]));
}

/** Adds a row to each empty table, with any values. */
async function fillTables(store: Store): Promise<void> {
  const { rows } = await sql<{ name: string; values: string }>`
    select table_name as name,
      string_agg(format('%I', column_name), ', ' order by ordinal_position)
        || ') values (' || string_agg('''1''', ', ' order by ordinal_position) as values
    from information_schema.columns
    where table_schema = 'public' and is_nullable = 'NO' and not table_name = any(${alwaysSmall})
    group by table_name`.execute(store);
  await store.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const { name, values } of rows)
      await sql`insert into ${sql.table(name)} (${sql.raw(values)}) on conflict do nothing`.execute(trx);
  });
}

/** What a migration may do outside a transaction: nothing in it keeps requests from a large table. */
const harmless = [
  /^select /,
  /^create index concurrently /,
  /^drop index concurrently /,
  /^update "?\w+"? set .* where id > \$\d and id <= \$\d /,
  /^update "?\w+"? set .* where "id" = \$\d$/,
  /^insert into "?\w+"? \([^)]*\) (?:values |select .* where id > \$\d order by id limit \$\d )/,
];

describe.runIf(withPostgres)('each migration, on tables with rows', () => {
  /** Runs the migrations that are due; returns what they do that would keep requests waiting. */
  async function mistakesIn(database: TestDatabase, steps = migrations): Promise<string[]> {
    const store = openTestStore(database);
    const mistakes: string[] = [];
    const watched = Object.entries(steps).map(([name, step]): [string, Migration] => [
      name,
      {
        ...step,
        up: async (db) => {
          await fillTables(store);
          const before = await workOn(db);
          await step.up?.(db);
          const after = await workOn(db);
          for (const [table, work] of before)
            if (after.get(table) !== work) mistakes.push(`${name} reads, changes or rewrites all rows of ${table}`);
        },
        ...(step.upOnline && {
          upOnline: async () => {
            const online = openStore(database, {
              ...withLongTimeouts,
              onStatement: ({ sql: text }) => {
                const line = text.replace(/\s+/g, ' ').trim();
                if (!harmless.some((pattern) => pattern.test(line))) mistakes.push(`${name}: ${line}`);
              },
            });
            await step.upOnline?.(online);
            await online.destroy();
          },
        }),
      },
    ]);
    await migrate(database, { steps: Object.fromEntries(watched) });
    return mistakes;
  }

  test('neither rewrites a large table nor reads or locks all of it in a transaction', async () =>
    expect(await mistakesIn(await freshDatabase('postgres'))).toEqual([]));

  test.each(
    Object.entries<Migration>({
      'an index': { oldestCode: '', up: (db) => db.schema.createIndex('i').on('accounts').column('name').execute() },
      'an update of all rows': {
        oldestCode: '',
        up: async (db) => {
          await sql`update accounts set name = ''`.execute(db);
        },
      },
      'a rewrite': {
        oldestCode: '',
        up: async (db) => {
          await sql`alter table accounts alter column created_at type numeric`.execute(db);
        },
      },
      'a validated constraint': {
        oldestCode: '',
        up: async (db) => {
          await sql`alter table accounts add check (name <> '2')`.execute(db);
        },
      },
      'an index that is not concurrent, outside a transaction': {
        oldestCode: '',
        upOnline: async (db) => {
          await sql`create index i on accounts (name)`.execute(db);
        },
      },
    }),
  )('would be noticed for %s', async (_, step) => {
    const database = await migratedDatabase('postgres');
    expect(await mistakesIn(database, { ...migrations, '9999-mistake': step })).not.toEqual([]);
  });
});
