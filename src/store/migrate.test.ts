import { spawnSync } from 'node:child_process';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, freshDatabase, withLongTimeouts } from '../testing/databases/databases.ts';
import { engineOf, openStore, type Store } from './database.ts';
import { type Migration, migrate, migrations, stepsAhead } from './migrate.ts';
import * as baseline from './migrations/0001-baseline.ts';

const table = (name: string): Migration => ({
  oldestCode: '0001-first',
  up: async (db) => {
    await db.schema.createTable(name).addColumn('id', 'integer').execute();
  },
});

const steps = { '0001-first': table('first'), '0002-second': table('second') };

const broken: Migration = {
  ...table('third'),
  up: async (db) => {
    await table('third').up?.(db);
    throw new Error('broken off');
  },
};

async function marks(store: Store): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(store);
  return rows.map(({ name }) => name);
}

/** The tables with their columns, whose order differs in an older database, and the definitions of all indexes. */
async function schemaOf(store: Store) {
  const { rows } = await sql<{ definition: string }>`${sql.raw(
    engineOf(store) === 'sqlite'
      ? "select sql as definition from sqlite_master where type = 'index' and sql is not null"
      : "select indexdef as definition from pg_indexes where schemaname = 'public'",
  )}`.execute(store);
  const tables = await store.introspection.getTables();
  return {
    indexes: rows.map(({ definition }) => definition).toSorted(),
    columns: tables
      .flatMap(({ name: of, columns }) =>
        columns.map(({ name, dataType, isNullable, hasDefaultValue }) =>
          [of, name, dataType, isNullable, hasDefaultValue].join(' '),
        ),
      )
      .toSorted(),
  };
}

describe.each(engines)('migrating, on %s', (engine) => {
  test('a migration that fails leaves nothing behind, and runs in full the next time', async () => {
    const database = await freshDatabase(engine);
    await expect(migrate(database, { steps: { ...steps, '0003-third': broken } })).rejects.toThrow('broken off');
    const store = openStore(database, withLongTimeouts);
    expect(await marks(store)).toEqual(['0001-first', '0002-second']);
    await expect(sql`select * from third`.execute(store)).rejects.toThrow(/third/);
    await migrate(database, { steps: { ...steps, '0003-third': table('third') } });
    expect((await sql`select * from third`.execute(store)).rows).toEqual([]);
    await store.destroy();
  });

  test('nodes that start together run each migration once', async () => {
    const database = await freshDatabase(engine);
    await Promise.all(Array.from({ length: 4 }, () => migrate(database, { steps })));
    const store = openStore(database, withLongTimeouts);
    expect(await marks(store)).toEqual(['0001-first', '0002-second']);
    await store.destroy();
  });

  test('an older version keeps working after a migration that allows it', async () => {
    const database = await freshDatabase(engine);
    await migrate(database, { steps: { ...steps, '0003-third': { ...table('third'), oldestCode: '0002-second' } } });
    await expect(migrate(database, { steps })).resolves.toBe(0);
  });

  test('a version that is too old fails with one sentence that names the setting', async () => {
    const database = await freshDatabase(engine);
    await migrate(database, { steps: { ...steps, '0003-third': { ...table('third'), oldestCode: '0003-third' } } });
    await expect(migrate(database, { steps })).rejects.toThrow(
      /^(DATA_DIR|DATABASE_URL): a newer version .*"0003-third".*"0002-second".*backup/,
    );
  });

  test('migrations by versions without `oldest_code` do not run again', async () => {
    const database = await freshDatabase(engine);
    await migrate(database, { steps: { '0001-first': table('first') } });
    const store = openStore(database, withLongTimeouts);
    await sql`drop table oldest_code`.execute(store);
    await migrate(database, { steps });
    expect(await marks(store)).toEqual(['0001-first', '0002-second']);
    await store.destroy();
  });

  /** A database that the last unreleased version left. */
  async function unreleased() {
    const database = await freshDatabase(engine);
    await migrate(database, { steps: { '0001-baseline': baseline } });
    const store = openStore(database, withLongTimeouts);
    onTestFinished(() => store.destroy());
    await sql`drop index returned_emails_at`.execute(store);
    await sql`alter table returned_emails rename to returned_letters`.execute(store);
    await sql`create index returned_letters_at on returned_letters (at)`.execute(store);
    await sql`alter table webhook_deliveries rename column sent_at to delivered_at`.execute(store);
    await sql`drop index webhook_deliveries_sent`.execute(store);
    await sql`create index webhook_deliveries_delivered on webhook_deliveries (delivered_at)
      where delivered_at is not null`.execute(store);
    await sql`drop index logout_notices_lane`.execute(store);
    for (const column of ['leased_until', 'sent_at', 'gave_up_at', 'last_error'])
      await sql`alter table logout_notices drop column ${sql.ref(column)}`.execute(store);
    await sql`delete from kysely_migration`.execute(store);
    for (const name of baseline.replaces.names)
      await sql`insert into kysely_migration values (${name}, '')`.execute(store);
    await sql`delete from oldest_code`.execute(store);
    await sql`insert into oldest_code values ('0001-front-door'), ('0220-partitions')`.execute(store);
    return { database, store };
  }

  test('a database of the last unreleased version becomes one of the first release, and keeps its rows', async () => {
    const { database, store } = await unreleased();
    await sql`insert into returned_letters values ('a', 'dsn', 'refused', 1)`.execute(store);
    await sql`insert into webhook_deliveries values ('b', 'shop', 'c', 1, 'test', '{}', 1, 1, 1, 0, 2, null, null)`.execute(
      store,
    );
    const steps = { '0001-baseline': baseline };
    expect(await stepsAhead(store, steps)).toBe(1);
    expect(await migrate(database, { steps })).toBe(1);
    expect(await marks(store)).toEqual(['0001-baseline']);
    expect(await store.selectFrom('returned_emails').select('id').execute()).toEqual([{ id: 'a' }]);
    expect(await store.selectFrom('webhook_deliveries').select('sent_at').execute()).toEqual([{ sent_at: 2 }]);
    expect(await migrate(database, { steps })).toBe(0);
    const fresh = await freshDatabase(engine);
    await migrate(fresh, { steps });
    const first = openStore(fresh, withLongTimeouts);
    onTestFinished(() => first.destroy());
    expect(await schemaOf(store)).toEqual(await schemaOf(first));
  });

  test('a database of an earlier unreleased version is refused in one sentence, and stays as it is', async () => {
    const { database, store } = await unreleased();
    await sql`delete from kysely_migration where name = '0221-pending-authenticators'`.execute(store);
    const before = await marks(store);
    const refused =
      /^(DATA_DIR|DATABASE_URL): an unreleased version has left .*"0221-pending-authenticators".*empty database$/;
    await expect(migrate(database)).rejects.toThrow(refused);
    await expect(stepsAhead(store, migrations)).rejects.toThrow(refused);
    expect(await marks(store)).toEqual(before);
  });
});

test('after a node is killed during a migration, the next one can start on its folder', async () => {
  const database = await freshDatabase('sqlite');
  const killed = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { migrate } from ${JSON.stringify(new URL('./migrate.ts', import.meta.url).href)};
       await migrate(${JSON.stringify(database)}, { steps: {
         '0001-first': {
           oldestCode: '0001-first',
           up: async (db) => {
             await db.schema.createTable('first').addColumn('id', 'integer').execute();
             process.kill(process.pid, 'SIGKILL');
             await new Promise(() => setTimeout(() => undefined, 60_000));
           },
         },
       } });`,
    ],
    { encoding: 'utf8' },
  );
  expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' });
  await migrate(database, { steps });
  const store = openStore(database, withLongTimeouts);
  expect(await marks(store)).toEqual(['0001-first', '0002-second']);
  await store.destroy();
});
