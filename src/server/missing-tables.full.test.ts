import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStore } from '../store/database.ts';
import { openClient, statusAndCode } from '../testing/client.ts';
import { migratedDatabase } from '../testing/databases/databases.ts';
import { form } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';

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
