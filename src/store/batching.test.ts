import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  engines,
  freshDatabase,
  freshStore,
  openTestStore,
  storePerson,
  withPostgres,
} from '../testing/databases/databases.ts';
import { findAccount } from './accounts/accounts.ts';
import { openBatches } from './batching.ts';
import type { Store } from './database.ts';
import { withinBudget } from './time-budget.ts';

const add = (store: Store, id: string) => storePerson(store, { id, name: id });

const nameOf = async (store: Store, id: string) => (await findAccount(store, id))?.name;

test.each(engines)('each of many parallel lookups on %s gets its own result', async (engine) => {
  const store = await freshStore(engine);
  for (const id of ['anna', 'berta', 'clara']) await add(store, id);
  const asked = ['berta', 'nobody', 'anna', 'berta', '{clara}', 'clara', '"', '\\', ''];
  const names = await Promise.all(asked.map((id) => nameOf(store, id)));
  expect(names).toEqual(['berta', undefined, 'anna', 'berta', undefined, 'clara', undefined, undefined, undefined]);
});

test.each(engines)('a lookup on %s sees an earlier change, even if it joins others', async (engine) => {
  const store = await freshStore(engine);
  await add(store, 'anna');
  for (let time = 0; time < 20; time += 1) {
    const others = Array.from({ length: 20 }, () => nameOf(store, 'anna'));
    const changed = sql`update accounts set name = ${`Anna ${time}`} where id = 'anna'`.execute(store);
    await changed;
    expect(await nameOf(store, 'anna')).toBe(`Anna ${time}`);
    await Promise.all(others);
  }
});

test.each(engines)('only the transaction itself sees its uncommitted changes on %s', async (engine) => {
  const store = await freshStore(engine);
  await store.transaction().execute(async (trx) => {
    await add(trx, 'anna');
    expect(await Promise.all([nameOf(trx, 'anna'), nameOf(store, 'anna')])).toEqual(['anna', undefined]);
  });
});

test.runIf(withPostgres)('a lookup that the database rejects does not fail the others', async () => {
  const store = await freshStore('postgres');
  for (const id of ['anna', 'berta']) await add(store, id);
  // PostgreSQL rejects texts with a zero byte.
  const asked = ['anna', 'a\0', 'berta'].map((id) => nameOf(store, id));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))).toEqual([
    'anna',
    '22021',
    'berta',
  ]);
});

/** A batch that takes as many seconds as its slowest member. */
async function openSleeper() {
  const store = openTestStore(await freshDatabase('postgres'));
  return openBatches(async (seconds: readonly number[]) => {
    await sql`select pg_sleep(${Math.max(...seconds)})`.execute(store);
    return seconds;
  });
}

test.runIf(withPostgres)('a query behind a slow batch does not wait for it', async () => {
  const sleep = await openSleeper();
  const order: number[] = [];
  const ask = async (seconds: number) => order.push(await sleep(seconds));
  const slow = ask(3);
  await turn();
  await Promise.all([slow, ask(0)]);
  expect(order).toEqual([0, 3]);
});

test.runIf(withPostgres)('time in batches counts toward the time budget of a request', async () => {
  const sleep = await openSleeper();
  const asked = withinBudget(async () => {
    for (let time = 0; time < 3; time += 1) await sleep(1);
  });
  await expect(asked).rejects.toThrow();
});

test.runIf(withPostgres)('each member of a batch has its own time budget', async () => {
  const sleep = await openSleeper();
  const asked = await Promise.allSettled([
    withinBudget(() => sleep(1), 500),
    withinBudget(() => sleep(1), 60_000),
    sleep(1),
  ]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});
