import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { statusAndCode } from '../../testing/client.ts';
import { openTestStore, withPostgres } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { connectionsOf } from '../database.ts';

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
    expect(statusAndCode(await browser.post('/auth/refresh'))).toBe('200');
    return { asked };
  });
  const statuses = (await Promise.all(flood.asked)).map(statusAndCode);
  expect(new Set(statuses.map((status) => status.slice(0, 3)))).not.toContain('500');
});
