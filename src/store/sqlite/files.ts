import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** The database of a data folder. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'vestibule.sqlite');

/** What SQLite keeps beside a database while it is in use, or since its process was killed. */
export const companionsOf = (file: string): string[] => [`${file}-wal`, `${file}-shm`];

/** Opens a database so that nothing in its folder changes. */
export function openUntouched(file: string): DatabaseSync {
  const address = pathToFileURL(file);
  // Without a log nobody writes, and SQLite need not make the files by which writers and readers know of each other.
  if (!existsSync(`${file}-wal`)) address.searchParams.set('immutable', '1');
  return new DatabaseSync(address, { timeout: 1000, readOnly: true });
}

const allPages = 2 ** 31 - 1;

/** Copies a database that may be written meanwhile, as it is at one moment (SQLite Online Backup API), into one file. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { timeout: 5000 });
  try {
    // In one step: another process that writes would have a copy in several begin again.
    await backup(source, to, { rate: allPages });
  } finally {
    source.close();
  }
}

/** What SQLite finds wrong with a database, the first of it; empty where every page and index is whole. */
export function damageOf(database: DatabaseSync): string[] {
  const rows = database.prepare('pragma integrity_check(3)').all();
  return rows.map((row) => String(row.integrity_check)).filter((says) => says !== 'ok');
}

const sqliteBusy = 5;

/** Whether a process has a database open. A file that is no database any more is nobody's. */
export function isInUse(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Only whoever is alone may leave the log (https://sqlite.org/wal.html, section 6).
    database.exec('pragma journal_mode = delete');
    return false;
  } catch (error) {
    return (error as { errcode?: number }).errcode === sqliteBusy;
  } finally {
    database.close();
  }
}
