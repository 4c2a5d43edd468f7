import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStore } from '../store/database.ts';
import { openClient, statusAndCode } from '../testing/client.ts';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase, migratedDatabase, withPostgres } from '../testing/databases/databases.ts';
import { freePort } from '../testing/free-port.ts';
import { form } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';

test.runIf(withPostgres)('the service and the command line start with a URL whose first host is down', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const { host } = new URL(databaseUrl);
  const several = databaseUrl.replace(host, `127.0.0.1:${await freePort()},${host}`);
  const service = await startProcess({ dataDir, databaseUrl: several });
  expect(await openClient(service.url).post('/auth/register', form())).toSay('201');
  const settings = { DATA_DIR: dataDir, DATABASE_URL: several, PHONE_CONFIRMATION: 'off' };
  const { out } = await runCommand(['doctor'], { folder: dataDir, settings });
  expect(out).toMatch(/^ok {7}database +postgres, tables up to date, 1 account$/m);
});

test.runIf(withPostgres)(
  'nodes that start together on an empty database and data folder all become ready',
  async () => {
    const database = await freshDatabase('postgres');
    const nodes = await Promise.all(Array.from({ length: 4 }, () => startProcess(database, {}, { rendersAnew: true })));
    const responses = await Promise.all(nodes.map(({ url }) => fetch(`${url}/readyz`)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // One complete copy of the build, and no temporary one left over.
    expect(readdirSync(join(database.dataDir, 'assets'))).toHaveLength(1);
  },
);

test('while a dump is restored into PostgreSQL, users are asked to try again, and no bug is reported', async () => {
  const database = await migratedDatabase('postgres');
  const service = await startProcess(database);
  const register = async () =>
    statusAndCode(await openClient(service.url).post('/auth/register', form({ email: 'ann@example.com' })));
  const administrator = openStore(database);
  try {
    await sql`alter table accounts rename to not_yet_restored`.execute(administrator);
    expect(await register()).toBe('503 try_again_later');
    await sql`alter table not_yet_restored rename to accounts`.execute(administrator);
    expect(await register()).toMatch(/^201/);
  } finally {
    await administrator.destroy();
  }
  expect(service.log().filter(({ msg }) => msg === 'unforeseen failure')).toEqual([]);
});
