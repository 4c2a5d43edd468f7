import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { seconds } from '../contract/units.ts';
import {
  freshDatabase,
  migratedDatabase,
  openTestStore,
  storePerson,
  withPostgres,
} from '../testing/databases/databases.ts';
import { openRotations } from './access/sessions.ts';
import type { Store } from './database.ts';
import { withinBudget } from './time-budget.ts';

/** Enough for one slow statement, even on a busy machine, but not for a second one. */
const budget = seconds(5);
const slowFor = sql.lit(3);

const openPostgres = async () => openTestStore(await freshDatabase('postgres'));

const sleep = (store: Store): Promise<unknown> => sql`select pg_sleep(${slowFor})`.execute(store);

test.runIf(withPostgres)('a request fails once its waits add up to more than its budget', async () => {
  const store = await openPostgres();
  const asked = withinBudget(async () => {
    for (let time = 0; time < 2; time += 1) await sleep(store);
  }, budget);
  await expect(asked).rejects.toThrow();
});

test.runIf(withPostgres)('work that a request started has no time limit after the response', async () => {
  const store = await openPostgres();
  let goesOn: Promise<unknown> | undefined;
  await withinBudget(async () => {
    goesOn = pause(1)
      .then(() => sleep(store))
      .then(() => sleep(store));
  }, budget);
  await goesOn;
});

const now = Date.UTC(2026, 10, 21);

/** Opens a store with two sessions whose rotation is slow. */
async function openSlowSessions(): Promise<Store> {
  const store = openTestStore(await migratedDatabase('postgres'));
  await storePerson(store, { id: 'anna' });
  await sql`insert into sessions (id, account_id, generation, rotated_at, created_at, expires_at, ip, user_agent)
    select id, 'anna', 0, ${now}, ${now}, ${now + 1}, '::1', 'browser' from unnest(array['one', 'two']) as id`.execute(
    store,
  );
  await sql`create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(${slowFor}); return new; end'`.execute(
    store,
  );
  await sql`create trigger wait before update on sessions for each row execute function wait()`.execute(store);
  return store;
}

test.runIf(withPostgres)('a refresh that waits behind slow ones has its full time budget', async () => {
  const rotate = openRotations(await openSlowSessions());
  const both = await withinBudget(async () => {
    const first = rotate({ id: 'one', generation: 0, now });
    await pause(1);
    return Promise.all([first, rotate({ id: 'two', generation: 0, now })]);
  }, budget);
  expect(both.map((rotated) => rotated?.generation)).toEqual([1, 1]);
});
