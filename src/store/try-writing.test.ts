import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshStore, withPostgres } from '../testing/databases/databases.ts';
import type { Store } from './database.ts';
import { tryWriting } from './try-writing.ts';

const temporaryFiles = async (store: Store): Promise<number> => {
  await sql`select pg_stat_force_next_flush()`.execute(store);
  const { rows } = await sql<{ files: number }>`select temp_files::int as files from pg_stat_database
    where datname = current_database()`.execute(store);
  return rows[0]?.files ?? 0;
};

test.runIf(withPostgres)('on PostgreSQL, a trial write also asks the disk for room', async () => {
  const store = await freshStore('postgres');
  await tryWriting(store, 1);
  await expect.poll(() => temporaryFiles(store)).toBeGreaterThan(0);
  // An operator who forbids temporary files is no full disk.
  await sql`do $$ begin execute format('alter database %I set temp_file_limit = 0', current_database()); end $$`.execute(
    store,
  );
  await sql`select pg_terminate_backend(pg_backend_pid())`.execute(store).catch(() => undefined);
  const written = () =>
    tryWriting(store, 2).then(
      () => 'written',
      (error: Error) => error.message,
    );
  await expect.poll(written).toBe('written');
  const limit = await sql<{ temp_file_limit: string }>`show temp_file_limit`.execute(store);
  expect(limit.rows).toEqual([{ temp_file_limit: '0' }]);
});
