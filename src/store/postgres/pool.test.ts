import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { statusAndCode } from '../../testing/client.ts';
import { freshDatabase, openTestStore, withLongTimeouts, withPostgres } from '../../testing/databases/databases.ts';
import { openProxy } from '../../testing/databases/outages.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { connectionsOf, type Store } from '../database.ts';
import { databaseBudget } from '../time-budget.ts';

async function openNotes({ timeBudget } = withLongTimeouts): Promise<{ store: Store; elsewhere: Store }> {
  const database = await freshDatabase('postgres');
  const [store, elsewhere] = [openTestStore(database, { timeBudget }), openTestStore(database, { timeBudget })];
  await sql`create table notes (id integer primary key, count integer not null)`.execute(store);
  await sql`insert into notes select id, 0 from generate_series(1, 20) as id`.execute(store);
  return { store, elsewhere };
}

const count = (store: Store, id: number) => sql`update notes set count = count + 1 where id = ${id}`.execute(store);

test.runIf(withPostgres)('transactions that would deadlock all succeed, each once', async () => {
  const { store, elsewhere } = await openNotes();
  const crossing = [
    { node: store, order: [1, 2] },
    { node: elsewhere, order: [2, 1] },
  ].map(({ node, order }) =>
    node.transaction().execute(async (trx) => {
      for (const id of order) {
        await count(trx, id);
        await sql`select pg_sleep(0.1)`.execute(trx);
      }
    }),
  );
  await Promise.all(crossing);
  const { rows } = await sql`select id, count from notes where count > 0 order by id`.execute(store);
  expect(rows).toEqual([
    { id: 1, count: 2 },
    { id: 2, count: 2 },
  ]);
});

test.runIf(withPostgres)(
  'a read-only store uses read-only transactions, without a warning to its operator',
  async () => {
    const warnings: string[] = [];
    const notice = ({ message }: Error) => warnings.push(message);
    process.on('warning', notice);
    onTestFinished(() => {
      process.off('warning', notice);
    });
    const store = openTestStore(await freshDatabase('postgres'), { ...withLongTimeouts, readOnly: true });
    await expect(sql`create table notes (id integer)`.execute(store)).rejects.toThrow(/read-only transaction/);
    await sql`select 1`.execute(store);
    expect(warnings).toEqual([]);
  },
);

test.runIf(withPostgres)(
  'a statement prepared before a newer node added a column keeps working, even within a transaction',
  async () => {
    const { store, elsewhere } = await openNotes();
    const read = (from: Store) => sql`select * from notes where id = ${1}`.execute(from);
    for (const each of [store, elsewhere]) await read(each);
    await sql`alter table notes add column later integer not null default 7`.execute(elsewhere);
    expect((await read(store)).rows).toEqual([{ id: 1, count: 0, later: 7 }]);
    const inside = await elsewhere.transaction().execute((trx) => read(trx));
    expect(inside.rows).toEqual([{ id: 1, count: 0, later: 7 }]);
  },
);

test.runIf(withPostgres)('the server ends a statement that takes too long, and the connection survives', async () => {
  const { store } = await openNotes({ timeBudget: 5000 });
  await expect(sql`select pg_sleep(60)`.execute(store)).rejects.toMatchObject({ code: '57014' });
  await expect(count(store, 1)).resolves.toBeDefined();
});

test.runIf(withPostgres)(
  'a transaction that runs out of time is rolled back, and leaves nothing open on its connection',
  async () => {
    const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
    const store = openTestStore({ databaseUrl, dataDir, poolSize: 1 }, {});
    const elsewhere = openTestStore({ databaseUrl, dataDir }, {});
    await sql`create table notes (id integer primary key)`.execute(store);
    const add = (to: Store, id: number) => sql`insert into notes values (${id})`.execute(to);
    const slow = store.transaction().execute(async (trx) => {
      await add(trx, 1);
      await pause(databaseBudget);
      await add(trx, 3);
    });
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    await add(store, 2);
    expect((await sql`select id from notes`.execute(elsewhere)).rows).toEqual([{ id: 2 }]);
  },
);

test.runIf(withPostgres)('connections have no start-up parameter that PgBouncer would refuse', async () => {
  const { databaseUrl = '' } = await freshDatabase('postgres');
  const proxy = await openProxy(databaseUrl);
  await sql`select 1`.execute(openTestStore({ dataDir: '', databaseUrl: proxy.url }));
  const parameters = proxy
    .opening()
    .split('\0')
    .filter((_, at) => at % 2 === 0);
  expect(parameters).not.toContain('statement_timeout');
  expect(proxy.opening()).toContain('client_encoding');
  expect(proxy.opening()).not.toMatch(/timeout|options/);
});

test.runIf(withPostgres)(
  'while the server does not respond, all callers are refused, including those in the queue, until it is back',
  async () => {
    const { databaseUrl = '' } = await freshDatabase('postgres');
    const proxy = await openProxy(databaseUrl);
    const store = openTestStore({ dataDir: '', databaseUrl: proxy.url, poolSize: 2 }, {});
    const ask = () => sql`select ${1}::integer`.execute(store);
    await ask();
    proxy.hold();
    const first = await Promise.allSettled(Array.from({ length: 40 }, ask));
    expect(first.every(({ status }) => status === 'rejected')).toBe(true);
    // From now on refusals are immediate: two hundred in a row would take minutes if each had to time out.
    const refused: unknown[] = [];
    for (let time = 0; time < 200; time += 1) await ask().catch((error: { code: string }) => refused.push(error.code));
    expect(refused).toHaveLength(200);
    expect(refused).toContain('08006');
    proxy.release();
    await expect
      .poll(() =>
        ask().then(
          () => 'answers',
          () => 'silent',
        ),
      )
      .toBe('answers');
  },
);

test.runIf(withPostgres)('abandoned connections keep their places in the pool until they end', async () => {
  const database = await freshDatabase('postgres');
  const [store, elsewhere] = [openTestStore({ ...database, poolSize: 2 }, {}), openTestStore(database)];
  await sql`create table notes (id integer primary key, count integer not null)`.execute(elsewhere);
  await sql`insert into notes values (1, 0)`.execute(elsewhere);
  const waiting = async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*)::integer as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(elsewhere);
    return rows[0]?.waiting;
  };
  await elsewhere.transaction().execute(async (trx) => {
    await count(trx, 1);
    for (let round = 0; round < 3; round += 1) {
      const changes = await Promise.allSettled([count(store, 1), count(store, 1), count(store, 1)]);
      expect(changes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    }
    expect(await waiting()).toBe(2);
  });
  await expect.poll(() => count(store, 1).then(() => 'works', String)).toBe('works');
  await expect.poll(() => connectionsOf(store)?.busy).toBe(0);
});

test.runIf(withPostgres)('a flood of requests that wait for PostgreSQL leaves connections to refreshes', async () => {
  const server = await openTestServer('postgres');
  const { browser } = await register(server);
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = server.config;
  const other = openTestStore({ dataDir, databaseUrl });
  const flood = await other.transaction().execute(async (trx) => {
    await sql`lock table limit_hits in access exclusive mode`.execute(trx);
    const asked = Array.from({ length: 20 }, (_, at) =>
      server.client().post('/auth/recovery', { email: `nobody${at}@example.com`, locale: 'en' }),
    );
    await expect.poll(() => connectionsOf(server.store)?.waiting, { timeout: minutes(1) }).toBeGreaterThan(10);
    expect(await browser.post('/auth/refresh')).toSay('200');
    return { asked };
  });
  const statuses = (await Promise.all(flood.asked)).map(statusAndCode);
  expect(new Set(statuses.map((status) => status.slice(0, 3)))).not.toContain('500');
});
