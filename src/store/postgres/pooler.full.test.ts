import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runCommand } from '../../testing/command-line.ts';
import { freshDatabase, openTestStore, withPostgres } from '../../testing/databases/databases.ts';
import { openTransactionPooler } from '../../testing/databases/transaction-pooler.ts';
import { isTransientError } from '../database-errors.ts';

test.runIf(withPostgres)(
  'a pooler that loses prepared statements is named by each command, with and without leftovers of earlier ones',
  async () => {
    const { dataDir, databaseUrl = '' } = await freshDatabase('postgres');
    const DATABASE_URL = await openTransactionPooler(databaseUrl);
    const settings = { DATA_DIR: dataDir, DATABASE_URL, PHONE_CONFIRMATION: 'off' };
    const direct = { ...settings, DATABASE_URL: databaseUrl };
    expect(await runCommand(['migrate'], { folder: dataDir, settings: direct })).toMatchObject({ code: 0 });
    const loses = expect.stringMatching(
      /the pooler loses prepared statements: in transaction mode PgBouncer must be 1\.21/,
    );
    for (let time = 1; time <= 2; time += 1) {
      expect(await runCommand(['doctor', '--quick'], { folder: dataDir, settings })).toMatchObject({
        code: 1,
        out: loses,
      });
      expect(await runCommand(['groups', 'list'], { folder: dataDir, settings })).toMatchObject({
        code: 2,
        err: loses,
      });
    }
  },
);

test.runIf(withPostgres)('a pooler never makes a node run a statement of another process', async () => {
  const { databaseUrl = '' } = await freshDatabase('postgres');
  const url = await openTransactionPooler(databaseUrl);
  const open = () => openTestStore({ dataDir: '', databaseUrl: url });
  const store = open();
  const ask = () => sql<{ found: number }>`select ${1}::integer as found`.execute(store);
  await ask();
  const { rows: left } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(open());
  // A name that another process would not choose.
  expect(left).toEqual([{ name: expect.stringMatching(/^s[\da-f]{12}_\d+$/) }]);
  // Both connections of the pooler are in use meanwhile, so the next question meets one that does not know its statement.
  await open()
    .transaction()
    .execute(async (trx) => {
      await sql`select 2`.execute(trx);
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: '26000' });
      expect(isTransientError(error)).toBe(true);
    });
});
