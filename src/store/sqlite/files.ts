import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

export const databaseFile = (dataDir: string): string => join(dataDir, 'vestibule.sqlite');

/** SQLite's files beside a database that is in use, or whose process was killed. */
export const companionsOf = (file: string): string[] => [`${file}-wal`, `${file}-shm`];

/** The copy that replaces a database at the end of a restore. */
export const restoredFile = (file: string): string => `${file}.restored`;

/** Opens a database without any change to its folder. */
export function openUntouched(file: string): DatabaseSync {
  const address = pathToFileURL(file);
  // Without a log there is no writer, and SQLite need not create the files that coordinate readers with writers.
  if (!existsSync(`${file}-wal`)) address.searchParams.set('immutable', '1');
  return new DatabaseSync(address, { timeout: 1000, readOnly: true });
}

/**
 * Empties the write-ahead log of a database, which still contains rows and secrets that were deleted since. Does nothing
 * while someone reads or writes.
 */
export function emptyLog(file: string): void {
  using database = new DatabaseSync(file, { timeout: 0 });
  database.exec('pragma wal_checkpoint(truncate)');
}

const allPages = 2 ** 31 - 1;

/** Copies a consistent snapshot of a database to one file, even during writes (SQLite Online Backup API). */
export async function copyDatabase(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { timeout: 5000 });
  // In one step: a copy in several would start over whenever another process writes.
  await backup(source, to, { rate: allPages });
}

/** The first errors that SQLite finds in a database; empty if every page and index is intact. */
export function damageOf(database: DatabaseSync): string[] {
  const rows = database.prepare('pragma integrity_check(3)').all();
  return rows.map((row) => String(row.integrity_check)).filter((says) => says !== 'ok');
}

/** Corrupt, and not a database (https://sqlite.org/rescode.html). */
const damageCodes = [11, 26];

/** Whether SQLite met a damaged page. */
export const isDamage = (error: unknown): boolean =>
  damageCodes.includes(Number((error as { errcode?: unknown }).errcode) & 0xff);

/**
 * Reads the first and the last row of each table and index, which takes milliseconds in a file of any size. Throws
 * SQLite's error if a page on the way is damaged.
 */
export function readEnds(database: DatabaseSync): void {
  const named = database.prepare('select type, name, tbl_name, sql from sqlite_schema where rootpage > 0').all();
  for (const { type, name, tbl_name: table, sql } of named) {
    const from = type === 'table' ? `"${name}" not indexed` : `"${table}" indexed by "${name}"`;
    // SQLite reads a partial index only for a query that repeats its condition.
    const [, where = ''] = /\swhere\s(.*)$/is.exec(String(sql ?? '')) ?? [];
    const ends = type === 'table' ? ['', 'order by rowid desc'] : [''];
    for (const order of ends)
      database
        .prepare(`select * from ${from} ${where && type === 'index' ? `where ${where}` : ''} ${order} limit 1`)
        .all();
  }
}

const sqliteBusy = 5;

/** Whether a process has a database open. A file that is not a valid database counts as not in use. */
export function isInUse(file: string): boolean {
  if (!existsSync(file)) return false;
  using database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Only the sole connection may leave WAL mode (https://sqlite.org/wal.html, section 6).
    database.exec('pragma journal_mode = delete');
    return false;
  } catch (error) {
    return (error as { errcode?: number }).errcode === sqliteBusy;
  }
}

/** Whether another process holds the lock that `lockWithFile` could not get. */
export const isLocked = (error: unknown): boolean => (error as { errcode?: unknown }).errcode === sqliteBusy;

/**
 * Holds a lock in a file until `unlock` or the end of the process, however it ends: the system releases the locks of SQLite,
 * and Node itself has none. Throws at once if another process holds it.
 */
export function lockWithFile(file: string): () => void {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => lock.close();
}

/** SQLITE_READONLY_DBMOVED (https://sqlite.org/rescode.html). */
const databaseMoved = 1032;

/**
 * Returns a function that throws once a file of an open database is no longer at its path: SQLite would continue to write
 * to the nameless file, and the end of the process would delete these changes. Call it within a transaction, because SQLite
 * creates the write-ahead log with the first one.
 */
export function watchForMoves(file: string): () => void {
  const paths = [file, ...companionsOf(file)];
  const opened = new Map([[file, identify(file)]]);
  return () => {
    for (const path of paths) {
      const now = identify(path);
      const before = opened.get(path);
      if (before === undefined) opened.set(path, now);
      else if (now !== undefined && now !== before) throw moved(path);
    }
  };
}

/** Undefined if the path cannot be checked, as in a folder whose permissions have changed: the file may be in place. */
function identify(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.dev} ${found.ino}` : 'missing';
  } catch {
    return undefined;
  }
}

const moved = (path: string) =>
  Object.assign(
    new Error(`${path} was moved, replaced or deleted while the service uses it: put it back, or restart the service`),
    { code: 'ERR_SQLITE_ERROR', errcode: databaseMoved },
  );
