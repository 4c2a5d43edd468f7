import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshStore, withPostgres } from '../testing/databases/databases.ts';
import type { Store } from './database.ts';
import { isTransientError, refusalToWrite, tryWriting } from './database-errors.ts';

test.each([
  ['PostgreSQL refuses the connection', { code: 'ECONNREFUSED' }, true],
  ['its password was changed', { code: '28P01' }, true],
  ['a serialization failure', { code: '40001' }, true],
  ['a deadlock', { code: '40P01' }, true],
  ['its disk is full', { code: '53100' }, true],
  ['it is out of connections', { code: '53300' }, true],
  ['it shuts down', { code: '57P01' }, true],
  ['it is read-only', { code: '25006' }, true],
  ['its database is missing, as before a restore', { code: '3D000' }, true],
  ['its database accepts no connections', { code: '55000' }, true],
  ['a table is missing, as during a restore', { code: '42P01' }, true],
  ['a constraint is missing, as during a restore', { code: '42P10' }, true],
  ['a pooler lost a prepared statement', { code: '26000' }, true],
  ['a pooler kept the prepared statement of another client', { code: '42P05' }, true],
  ['the role may not use a table', { code: '42501' }, true],
  ['its connection broke', { code: '08006' }, true],
  ['SQLite’s disk is full', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, true],
  ['SQLite’s file is read-only, by an extended code', { code: 'ERR_SQLITE_ERROR', errcode: 8 | (4 << 8) }, true],
  ['SQLite’s file is damaged', { code: 'ERR_SQLITE_ERROR', errcode: 11 }, true],
  ['a constraint violation in SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 19 }, false],
  ['a constraint violation in PostgreSQL', { code: '23505' }, false],
  ['an error in a statement', { code: '42601' }, false],
  ['a bug of ours', new TypeError('x is not a function'), false],
  ['nothing', undefined, false],
])('%s: %o is transient: %s', (_name, error, passes) => expect(isTransientError(error)).toBe(passes));

test.each([
  [{ code: '53100' }, 'database: the disk is full'],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, 'database: the disk is full'],
  [{ code: '25006' }, 'database: read-only'],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 8 | (4 << 8) }, 'database: read-only'],
  [{ code: 'ECONNREFUSED' }, 'database'],
])('a refusal to write, %o, reads "%s"', (error, says) => expect(refusalToWrite(error)).toBe(says));

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
