import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { statusAndCode, type TestResponse } from '../testing/client.ts';
import { withPostgres } from '../testing/databases/databases.ts';
import { form, password, register } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

const later = '503 try_again_later';
const patience = { timeout: minutes(4), interval: 200 };

/** One request of each kind that changes data. */
async function changes(
  server: TestServer,
  { email, browser }: Awaited<ReturnType<typeof register>>,
): Promise<TestResponse[]> {
  return Promise.all([
    browser.post('/auth/refresh'),
    server.client().post('/auth/login', { email, password }),
    server.client().post('/auth/register', form()),
    server.client().post('/auth/recovery', { email, locale: 'en' }),
  ]);
}

describe('a failing database causes a 503, and everything works afterward:', () => {
  test('a full disk', async () => {
    const server = await openTestServer('sqlite');
    const person = await register(server);
    await sql`pragma max_page_count = 1`.execute(server.store);
    // Refreshes fit into existing database pages; registrations need new pages sooner or later.
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => server.client().post('/auth/register', form({ name: 'A'.repeat(170) }))),
    );
    const refused = responses.map(statusAndCode).filter((response) => response !== '201');
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused)).toEqual(new Set([later]));
    await sql`pragma max_page_count = 1000000`.execute(server.store);
    expect((await changes(server, person)).map(statusAndCode)).toEqual(['200', '200', '201', '202']);
  });

  test.runIf(withPostgres)('a PostgreSQL whose sessions began read-only, as after a fail-over', async () => {
    const server = await openTestServer('postgres');
    const person = await register(server);
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(server.store);
    const database = sql.id(rows[0]?.name ?? '');
    await sql`alter database ${database} set default_transaction_read_only = on`.execute(server.store);
    for (const others of [sql`datname = current_database() and pid <> pg_backend_pid()`, sql`pid = pg_backend_pid()`])
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`
        .execute(server.store)
        .catch(() => undefined);
    const refreshes = async () =>
      new Set(
        (await Promise.all(Array.from({ length: 4 }, () => person.browser.post('/auth/refresh')))).map(statusAndCode),
      );
    await expect.poll(refreshes, patience).toEqual(new Set([later]));
    expect((await changes(server, person)).map(statusAndCode)).toEqual([later, later, later, later]);
    expect((await server.client().get('/readyz')).status).toBe(503);
    await server.store
      .transaction()
      .setAccessMode('read write')
      .execute((trx) => sql`alter database ${database} reset default_transaction_read_only`.execute(trx));
    await expect.poll(refreshes, patience).toEqual(new Set(['200']));
    expect((await changes(server, person)).map(statusAndCode)).toEqual(['200', '200', '201', '202']);
    expect((await server.client().get('/readyz')).status).toBe(200);
  });
});
