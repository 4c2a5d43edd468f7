import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { doctor } from '../../cli/doctor/doctor.ts';
import { migrateCommand } from '../../cli/migrate.ts';
import { minutes, seconds } from '../../contract/units.ts';
import { statusAndCode } from '../../testing/client.ts';
import { freshDatabase, openTestStore, withLongTimeouts, withPostgres } from '../../testing/databases/databases.ts';
import { openProxy } from '../../testing/databases/outages.ts';
import { freePort } from '../../testing/free-port.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { connectionsOf, type Store } from '../database.ts';
import { isTransientError } from '../database-errors.ts';
import { databaseBudget } from '../time-budget.ts';
import { hostsIn, unencryptedHostIn } from './hosts.ts';

async function openNotes({ timeBudget } = withLongTimeouts): Promise<{ store: Store; elsewhere: Store }> {
  const database = await freshDatabase('postgres');
  const [store, elsewhere] = [openTestStore(database, { timeBudget }), openTestStore(database, { timeBudget })];
  await sql`create table notes (id integer primary key, count integer not null)`.execute(store);
  await sql`insert into notes select id, 0 from generate_series(1, 20) as id`.execute(store);
  return { store, elsewhere };
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('not refused'),
    (error: unknown) => error,
  );

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
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const add = (to: Store, id: number) => sql`insert into notes values (${id})`.execute(to);
    const slow = store.transaction().execute(async (trx) => {
      await add(trx, 1);
      vi.advanceTimersByTime(databaseBudget);
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
    const refused = await Promise.all(Array.from({ length: 40 }, () => refusal(ask())));
    // From now on refusals are immediate: two hundred in a row would take minutes if each had to time out.
    for (let time = 0; time < 200; time += 1) refused.push(await refusal(ask()));
    expect(refused.filter((error) => !isTransientError(error))).toEqual([]);
    expect(refused.at(-1)).toMatchObject({ code: '08006' });
    proxy.release();
    await expect.poll(() => ask().then(() => 'answers', String)).toBe('answers');
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

async function openBehindProxy(options: { timeBudget: number; endsLater?: number }) {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const proxy = await openProxy(databaseUrl, options);
  const store = openTestStore({ dataDir, databaseUrl: proxy.url, poolSize: 2 }, options);
  await sql`select 1`.execute(store);
  return { proxy, store };
}

const ask = (store: Store) => sql<{ one: number }>`select ${1}::integer as one`.execute(store);

test.runIf(withPostgres)(
  'a connection that breaks during a statement fails with the code of a lost connection',
  async () => {
    const { proxy, store } = await openBehindProxy(withLongTimeouts);
    const slow = refusal(sql`select pg_sleep(600)`.execute(store));
    // Its connection may still be opening.
    await expect.poll(() => proxy.sent()).toContain('pg_sleep');
    proxy.hold();
    proxy.release();
    expect(await slow).toMatchObject({ code: '08006' });
  },
);

test.runIf(withPostgres)('a pool whose connections are all busy causes a transient error', async () => {
  const { store } = await openBehindProxy({ timeBudget: seconds(1.5) });
  const atWork = [1, 2].map(() => refusal(sql`select pg_sleep(600)`.execute(store)));
  expect(isTransientError(await refusal(ask(store)))).toBe(true);
  for (const error of await Promise.all(atWork)) expect(isTransientError(error)).toBe(true);
});

test.runIf(withPostgres)('a connection that the server ends between two statements is a lost one', async () => {
  const { proxy, store } = await openBehindProxy({ ...withLongTimeouts, endsLater: seconds(2) });
  const transaction = store.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await sql`select pg_terminate_backend(${rows[0]?.pid}::integer)`.execute(store);
    await expect.poll(() => proxy.received(), { timeout: 60_000 }).toContain('57P01');
    // For the connection to read the message. If it has not, the statement fails with the message's own code.
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    return ask(trx);
  });
  expect(isTransientError(await refusal(transaction))).toBe(true);
});

/** Session state: it outlives its transaction, and behind a pooler it would affect the next client. */
const sessionState =
  /(?:[\0;]\s*|^)(?:set\s+(?!local\b|transaction\b)|reset\s|listen\s|discard\s|prepare\s|create\s+temp)|pg_(?:try_)?advisory_lock|set_config\([^)]*false|with\s+hold/gi;

test('the pattern finds session state, and only that', () => {
  const stays = ['Q\0set default_transaction_read_only = on', 'begin; set statement_timeout = 1', '\0listen news'];
  const ends = ['begin; set local statement_timeout = 1', '\0update a set b = 1', '\0select pg_advisory_xact_lock(1)'];
  for (const text of stays) expect([text, text.match(sessionState)?.length]).toEqual([text, 1]);
  for (const text of ends) expect([text, text.match(sessionState)]).toEqual([text, null]);
});

test.runIf(withPostgres)('neither the service nor a command leaves session state on a connection', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const proxy = await openProxy(databaseUrl);
  const server = await openTestServer('sqlite', { DATA_DIR: dataDir, DATABASE_URL: proxy.url });
  const { email, browser } = await register(server);
  await browser.post('/auth/refresh');
  expect(await server.client().post('/auth/login', { email, password })).toSay('200');
  const environment = {
    DATA_DIR: dataDir,
    DATABASE_URL: proxy.url,
    PHONE_CONFIRMATION: 'off',
    SECRET_KEY: 'a secret key of thirty-two characters',
  };
  const given = { environment, positionals: [], now: Date.now(), folder: dataDir };
  await doctor.runBare({ ...given, options: {} });
  expect(await migrateCommand.runBare({ ...given, options: { check: true } })).toMatchObject({ failed: false });
  expect(proxy.sent()).toContain('begin isolation level read committed read only; set local statement_timeout');
  expect(proxy.sent().match(sessionState)).toBe(null);
});

test.runIf(withPostgres)('a store never changes the settings of a connection', async () => {
  const database = { ...(await freshDatabase('postgres')), poolSize: 1 };
  const store = openTestStore(database);
  await sql`create table notes (id integer)`.execute(store);
  await store.transaction().execute((trx) => sql`insert into notes values (${1})`.execute(trx));
  await store
    .transaction()
    .execute((trx) => sql`select no_such_column`.execute(trx))
    .catch(() => undefined);
  const { rows } = await sql`select name, setting from pg_settings where source = 'session'`.execute(store);
  expect(rows).toEqual([]);
});

test.each([
  ['postgres://db/v', ['postgres://db/v']],
  [
    'postgres://u:p,w@one:5432,two/v?sslmode=verify-full',
    ['postgres://u:p,w@one:5432/v?sslmode=verify-full', 'postgres://u:p,w@two/v?sslmode=verify-full'],
  ],
  ['postgresql://[::1]:5432,[::2]:5433', ['postgresql://[::1]:5432', 'postgresql://[::2]:5433']],
])('%s names %j', (url, hosts) => expect(hostsIn(url)).toEqual(hosts));

const at = (url: string, ports: readonly (string | number)[]): string =>
  url.replace(
    /@?([^@/,]+):\d+\//,
    (all, host) => `${all.startsWith('@') ? '@' : ''}${ports.map((port) => `${host}:${port}`)}/`,
  );

test.runIf(withPostgres)('finds the available one of several hosts immediately', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const url = at(databaseUrl, [await freePort(), new URL(databaseUrl).port]);
  expect(hostsIn(url)).toHaveLength(2);
  const store = openTestStore({ dataDir, databaseUrl: url }, {});
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(store)));
  expect(responses.map(({ rows }) => rows[0]?.one)).toEqual(Array(20).fill(1));
});

test.runIf(withPostgres)('switches to the other host whenever the current one stops responding', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const [one, other] = [await openProxy(databaseUrl), await openProxy(databaseUrl)];
  const store = openTestStore(
    { dataDir, databaseUrl: at(databaseUrl, [new URL(one.url).port, new URL(other.url).port]) },
    {},
  );
  const works = () =>
    ask(store).then(
      () => true,
      () => false,
    );
  expect(await works()).toBe(true);
  one.hold();
  await expect.poll(works).toBe(true);
  one.release();
  other.hold();
  await expect.poll(works).toBe(true);
});

test.each([
  ['postgres://u:p@db.example/v', 'db.example'],
  ['postgres://u:p@127.0.0.1,db2.example:5433/v', 'db2.example'],
  ['postgres://u:p@db.example/v?sslmode=verify-full', undefined],
  ['postgres://u:p@10.0.0.4/v?sslmode=disable', undefined],
  ['postgres://u:p@localhost/v', undefined],
  ['postgres://u@[::1]/v', undefined],
  ['postgres:///v?host=/run/postgresql', undefined],
])('the connection of %s is unencrypted to %s', (url, host) => expect(unencryptedHostIn(url)).toBe(host));
