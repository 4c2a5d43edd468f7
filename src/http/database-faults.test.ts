import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { databaseBudget } from '../store/budget.ts';
import { type Answer, said } from '../testing/client.ts';
import { freshDatabase, withPostgres } from '../testing/databases/databases.ts';
import { openProxy } from '../testing/databases/postgres-proxy.ts';
import { type House, openHouse } from '../testing/house.ts';
import { form, password, register } from '../testing/people.ts';

const later = '503 try_again_later';
const patience = { timeout: 60_000, interval: 200 };

/** One of each kind of change that people make. */
async function changes(house: House, { email, browser }: Awaited<ReturnType<typeof register>>): Promise<Answer[]> {
  return Promise.all([
    browser.post('/auth/refresh'),
    house.client().post('/auth/login', { email, password }),
    house.client().post('/auth/register', form()),
    house.client().post('/auth/recovery', { email, locale: 'en' }),
  ]);
}

describe('a database that cannot do its work is told as 503, and nothing is wrong afterwards:', () => {
  test('a disk that is full', async () => {
    const house = await openHouse('sqlite');
    const person = await register(house);
    await sql`pragma max_page_count = 1`.execute(house.store);
    // Sessions go on in pages that are there; new people need new ones, sooner or later.
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => house.client().post('/auth/register', form({ name: 'A'.repeat(170) }))),
    );
    const refused = answers.map(said).filter((answer) => answer !== '201');
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused)).toEqual(new Set([later]));
    await sql`pragma max_page_count = 1000000`.execute(house.store);
    expect((await changes(house, person)).map(said)).toEqual(['200', '200', '201', '202']);
  });

  test.runIf(withPostgres)('a PostgreSQL that takes no changes, as after a fail-over', async () => {
    const house = await openHouse('postgres');
    const person = await register(house);
    const readOnly = async (state: 'on' | 'off') => {
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(house.store);
      await house.store
        .transaction()
        .setAccessMode('read write')
        .execute((trx) =>
          sql`alter database ${sql.id(rows[0]?.name ?? '')} set default_transaction_read_only = ${sql.lit(state)}`.execute(
            trx,
          ),
        );
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
        .execute(house.store)
        .catch(() => undefined);
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(house.store).catch(() => undefined);
    };
    await readOnly('on');
    await expect.poll(async () => (await house.client().get('/readyz')).status, patience).toBe(503);
    expect((await changes(house, person)).map(said)).toEqual([later, later, later, later]);
    await readOnly('off');
    await expect.poll(async () => (await house.client().get('/readyz')).status, patience).toBe(200);
    expect((await changes(house, person)).map(said)).toEqual(['200', '200', '201', '202']);
  });

  test.runIf(withPostgres)('a PostgreSQL that hangs, also for those who wait behind others', async () => {
    const { databaseUrl = '' } = await freshDatabase('postgres');
    const proxy = await openProxy(databaseUrl);
    const house = await openHouse('sqlite', { DATABASE_URL: proxy.url }, { waitsFor: databaseBudget });
    const person = await register(house);
    await Promise.all(Array.from({ length: 4 }, () => house.client().get('/auth/csrf')));
    proxy.hold();
    const waiting = Array.from({ length: 25 }, () => changes(house, person));
    const answers = (await Promise.all(waiting)).flat().map(said);
    expect(new Set(answers)).toEqual(new Set([later]));
    expect((await house.client().get('/readyz')).status).toBe(503);
    proxy.release();
    await expect
      .poll(async () => (await changes(house, person)).map(said), patience)
      .toEqual(['200', '200', '201', '202']);
  });
});
