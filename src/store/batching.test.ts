import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { engines, freshDatabase, freshStore, withLongTimeouts, withPostgres } from '../testing/databases/databases.ts';
import { findAccount } from './accounts/accounts.ts';
import { openBatches } from './batching.ts';
import { openStore, type Store } from './database.ts';
import { withinBudget } from './time-budget.ts';

const now = Date.UTC(2026, 10, 21);

const addAccount = (store: Store, id: string) =>
  sql`insert into accounts (id, email, email_key, name, phone, locale, password_hash, password_changed_at, created_at)
    values (${id}, ${id}, ${id}, ${id}, '+49', 'de', 'hash', ${now}, ${now})`.execute(store);

const nameOf = async (store: Store, id: string) => (await findAccount(store, id))?.name;

test.each(engines)('of many who look something up at once on %s, each is told their own', async (engine) => {
  const store = await freshStore(engine);
  for (const id of ['anna', 'berta', 'clara']) await addAccount(store, id);
  const asked = ['berta', 'nobody', 'anna', 'berta', '{clara}', 'clara', '"', '\\', ''];
  const told = await Promise.all(asked.map((id) => nameOf(store, id)));
  expect(told).toEqual(['berta', undefined, 'anna', 'berta', undefined, 'clara', undefined, undefined, undefined]);
});

test.each(engines)('whoever has changed something on %s is told of it, whoever else is asking', async (engine) => {
  const store = await freshStore(engine);
  await addAccount(store, 'anna');
  for (let time = 0; time < 20; time += 1) {
    const others = Array.from({ length: 20 }, () => nameOf(store, 'anna'));
    const changed = sql`update accounts set name = ${`Anna ${time}`} where id = 'anna'`.execute(store);
    await changed;
    expect(await nameOf(store, 'anna')).toBe(`Anna ${time}`);
    await Promise.all(others);
  }
});

test.each(engines)('a transaction on %s sees what it has done itself, and nobody else does', async (engine) => {
  const store = await freshStore(engine);
  await store.transaction().execute(async (trx) => {
    await addAccount(trx, 'anna');
    expect(await Promise.all([nameOf(trx, 'anna'), nameOf(store, 'anna')])).toEqual(['anna', undefined]);
  });
});

test.runIf(withPostgres)('a question that the database refuses is refused alone', async () => {
  const store = await freshStore('postgres');
  for (const id of ['anna', 'berta']) await addAccount(store, id);
  // PostgreSQL has no texts with a zero byte.
  const asked = ['anna', 'a\0', 'berta'].map((id) => nameOf(store, id));
  const told = await Promise.allSettled(asked);
  expect(told.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))).toEqual([
    'anna',
    '22021',
    'berta',
  ]);
});

/** Answers after as many seconds as the slowest question says. */
async function openSleeper() {
  const store = openStore(await freshDatabase('postgres'), withLongTimeouts);
  onTestFinished(() => store.destroy());
  return openBatches(async (seconds: readonly number[]) => {
    await sql`select pg_sleep(${Math.max(...seconds)})`.execute(store);
    return seconds;
  });
}

test.runIf(withPostgres)('what comes behind a slow answer does not wait for it', async () => {
  const sleep = await openSleeper();
  const order: number[] = [];
  const ask = async (seconds: number) => order.push(await sleep(seconds));
  const slow = ask(3);
  await turn();
  await Promise.all([slow, ask(0)]);
  expect(order).toEqual([0, 3]);
});

test.runIf(withPostgres)('what a request waits for in batches counts for its time', async () => {
  const sleep = await openSleeper();
  const asked = withinBudget(async () => {
    for (let time = 0; time < 3; time += 1) await sleep(1);
  });
  await expect(asked).rejects.toThrow();
});

test.runIf(withPostgres)('of a batch each has their own time', async () => {
  const sleep = await openSleeper();
  const asked = await Promise.allSettled([
    withinBudget(() => sleep(1), 500),
    withinBudget(() => sleep(1), 60_000),
    sleep(1),
  ]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});
