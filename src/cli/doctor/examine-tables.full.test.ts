import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { days } from '../../contract/units.ts';
import { outdatedOfDevices } from '../../devices/account-part.ts';
import { cleanUp } from '../../store/clean-up.ts';
import { openStore, type Store } from '../../store/database.ts';
import { runCommand } from '../../testing/command-line.ts';
import { engines, migratedDatabase, withLongTimeouts, withPostgres } from '../../testing/databases/databases.ts';

/** Runs commands on a migrated database that has been changed. */
async function changed(engine: (typeof engines)[number], change: (store: Store) => Promise<unknown>) {
  const { dataDir, databaseUrl } = await migratedDatabase(engine);
  const store = openStore({ dataDir, databaseUrl }, withLongTimeouts);
  await change(store);
  await store.destroy();
  const settings = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PHONE_CONFIRMATION: 'off' };
  return (...words: string[]) => runCommand(words, { folder: dataDir, settings });
}

const onPostgres = test.runIf(withPostgres);

onPostgres.each([
  ['a reference', 'alter table sessions drop constraint sessions_account_id_fkey', 'sessions.account_id > accounts'],
  ['a primary key', 'alter table audit_log drop constraint audit_log_pkey', 'audit_log(id)'],
  ['a unique index', 'alter table accounts drop constraint accounts_email_key_key', 'accounts(email_key)'],
])('doctor names %s that an incomplete restore left out', async (_what, statement, name) => {
  const run = await changed('postgres', (store) => sql.raw(statement).execute(store));
  const { code, out } = await run('doctor');
  expect(code).toBe(1);
  expect(out).toMatch(/^FAILED +database +.*as after an incomplete restore/m);
  expect(out).toContain(`lack ${name}, as`);
});

onPostgres('doctor accepts the tables of this version, and reports a month without a partition', async () => {
  const longAgo = Date.UTC(2020, 8, 23);
  const run = await changed('postgres', (store) =>
    cleanUp(store, {
      now: longAgo,
      activityKept: days(9999),
      others: outdatedOfDevices({ now: longAgo, recordsKept: days(9999) }),
    }),
  );
  const { out } = await run('doctor');
  expect(out).toMatch(/^ok +database +postgres, tables up to date/m);
  expect(out).toMatch(
    /^FAILED +partitions +activity_\d{4}_\d\d, notifications_\d{4}_\d\d, records_\d{4}_\d\d missing/m,
  );
  const fresh = await changed('postgres', () => Promise.resolve());
  expect((await fresh('doctor')).out).toMatch(/^ok +partitions +none is missing/m);
});

test.each(engines)('tables without a record of migrations are refused in one line, on %s', async (engine) => {
  const run = await changed(engine, (store) => sql`delete from kysely_migration`.execute(store));
  const why = /has a table accounts, but no record of migrations, as after an incomplete restore/;
  const { code, out } = await run('doctor', '--quick');
  expect([code, out]).toEqual([1, expect.stringMatching(why)]);
  for (const words of [['migrate'], ['migrate', '--check'], ['accounts', 'find', 'anna']]) {
    const { code: refused, err } = await run(...words);
    expect([refused, err]).toEqual([2, expect.stringMatching(why)]);
    expect(err.trim().split('\n')).toHaveLength(1);
  }
});
