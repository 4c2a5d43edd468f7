import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { seconds } from '../../contract/units.ts';
import { freshDatabase, openTestStore, withLongTimeouts, withPostgres } from '../../testing/databases/databases.ts';
import { openProxy } from '../../testing/databases/outages.ts';
import type { Store } from '../database.ts';
import { isTransientError } from '../database-errors.ts';

async function openBehindProxy(options: { timeBudget: number; endsLater?: number }) {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const proxy = await openProxy(databaseUrl, options);
  const store = openTestStore({ dataDir, databaseUrl: proxy.url, poolSize: 2 }, options);
  await sql`select 1`.execute(store);
  return { proxy, store };
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('not refused'),
    (error: unknown) => error,
  );
const ask = (store: Store) => sql`select ${1}::integer`.execute(store);

test.runIf(withPostgres)(
  'a connection that breaks during a statement fails with the code of a lost connection',
  async () => {
    const { proxy, store } = await openBehindProxy(withLongTimeouts);
    const slow = refusal(sql`select pg_sleep(600)`.execute(store));
    await ask(store);
    proxy.hold();
    proxy.release();
    expect(await slow).toMatchObject({ code: '08006' });
  },
);

test.runIf(withPostgres)('a server that stops responding causes a transient error at each step', async () => {
  const { proxy, store } = await openBehindProxy({ timeBudget: seconds(1.5) });
  proxy.hold();
  // A statement on an open connection, one on a new connection, and one while the server is known not to respond.
  for (let step = 0; step < 3; step += 1) {
    const error = await refusal(ask(store));
    expect(error).toHaveProperty('code');
    expect(isTransientError(error)).toBe(true);
  }
  proxy.release();
  await expect
    .poll(
      () =>
        ask(store).then(
          () => true,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
});

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
    await pause(200);
    return ask(trx);
  });
  expect(isTransientError(await refusal(transaction))).toBe(true);
});
