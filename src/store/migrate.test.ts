import { spawnSync } from 'node:child_process';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines, freshDatabase, openTestStore, storePerson } from '../testing/databases/databases.ts';
import type { Store } from './database.ts';
import { type Migration, migrate, migrations, stepsAhead } from './migrate.ts';

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

describe.each(engines)('migrating, on %s', (engine) => {
  test('a migration that fails leaves nothing behind, and runs in full the next time', async () => {
    const database = await freshDatabase(engine);
    await expect(migrate(database, { steps: { ...steps, '0003-third': broken } })).rejects.toThrow('broken off');
    const store = openTestStore(database);
    expect(await marks(store)).toEqual(['0001-first', '0002-second']);
    await expect(sql`select * from third`.execute(store)).rejects.toThrow(/third/);
    await migrate(database, { steps: { ...steps, '0003-third': table('third') } });
    expect((await sql`select * from third`.execute(store)).rows).toEqual([]);
  });

  test('nodes that start together run each migration once', async () => {
    const database = await freshDatabase(engine);
    await Promise.all(Array.from({ length: 4 }, () => migrate(database, { steps })));
    const store = openTestStore(database);
    expect(await marks(store)).toEqual(['0001-first', '0002-second']);
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

  test('a database of a version before the first release is refused in one sentence, and stays as it is', async () => {
    const database = await freshDatabase(engine);
    await migrate(database, { steps: { '0001-front-door': table('accounts') } });
    const store = openTestStore(database);
    const refused =
      /^(DATA_DIR|DATABASE_URL): the database has a table accounts, .* before the first release.*empty database$/;
    await expect(migrate(database)).rejects.toThrow(refused);
    await expect(stepsAhead(store)).rejects.toThrow(refused);
    expect(await marks(store)).toEqual(['0001-front-door']);
  });

  test('a database of the days before the first release is taken over once, with its people', async () => {
    const database = await freshDatabase(engine);
    const first = { '0001-baseline': migrations['0001-baseline'] as Migration };
    await migrate(database, { steps: first });
    const store = openTestStore(database);
    const { id } = await storePerson(store);
    for (const statement of [
      ...['operator_jobs drop column stopped', 'webhook_receivers drop column doubted_by'].map(
        (to) => `alter table ${to}`,
      ),
      ...['by', 'at'].map((doubted) => `alter table clients drop column doubted_${doubted}`),
      ...['audit_log_actor', 'audit_log_actor_kind'].map((index) => `drop index ${index}`),
      ...['alarm_overrides', 'alarm_tag_rules', 'alarm_rules'].map((name) => `create table ${name} (id text)`),
      'create index audit_log_unlinked on audit_log (id) where hash is null',
      "insert into kysely_migration (name, timestamp) values ('0033-added-by', '')",
      "insert into oldest_code (migration) values ('0018-audit-chain')",
    ])
      await sql.raw(statement).execute(store);
    expect([await stepsAhead(store, first), await migrate(database, { steps: first })]).toEqual([1, 1]);
    expect(await stepsAhead(store, first)).toBe(0);
    expect(await marks(store)).toEqual(['0001-baseline']);
    expect(await store.selectFrom('accounts').select('id').execute()).toEqual([{ id }]);
    expect(await store.selectFrom('operator_jobs').select('stopped').execute()).toEqual([]);
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
  const store = openTestStore(database);
  expect(await marks(store)).toEqual(['0001-first', '0002-second']);
});
