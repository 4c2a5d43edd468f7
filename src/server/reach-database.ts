import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SettingsError } from '../contract/settings-error.ts';
import type { DatabaseSettings } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { databaseFile } from '../store/sqlite/files.ts';

/** Brings the database to today's tables; where it cannot be reached, or is none, says so by the setting that names it. */
export async function reachDatabase(database: DatabaseSettings): Promise<void> {
  try {
    await migrate(database);
  } catch (cause) {
    const { code = '', errcode = 0, message } = cause as Error & { code?: string; errcode?: number };
    if (database.databaseUrl && notReached.test(code))
      throw new SettingsError(`DATABASE_URL: PostgreSQL cannot be used: ${message || code}`, { cause });
    if (!database.databaseUrl && (isSystemFault.test(code) || unusable.includes(errcode & 0xff)))
      throw new SettingsError(unusableFile(databaseFile(database.dataDir), message), { cause });
    throw cause;
  }
}

/** SQLite says of a file that root has made only that it is "unable to open" it. */
function unusableFile(file: string, message: string): string {
  return `DATA_DIR: ${file} cannot be used: ${(existsSync(file) && whyUnchangeable(file)) || message}`;
}

/** Why this user can keep nothing in a folder, or cannot make it where it is not there yet; undefined where they can. */
export function whyUnusableFolder(folder: string): string | undefined {
  let there = resolve(folder);
  while (!existsSync(there)) there = dirname(there);
  if (!statSync(there).isDirectory()) return `${there} is no folder`;
  return whyUnchangeable(there);
}

/** Why this user cannot change a file or a folder that is there; undefined where they can. */
export function whyUnchangeable(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const isOnReadOnlyDisk = (error as NodeJS.ErrnoException).code === 'EROFS';
    return isOnReadOnlyDisk ? 'its disk can only be read' : 'this user may not read and change it';
  }
}

const isSystemFault = /^E[A-Z]+$/;
/** The system's own, connection, authorization, unknown database, and what an administrator has shut (SQLSTATE classes). */
const notReached = /^(?:E[A-Z]+|08...|28...|3D...|53...|57P..)$/;
/** Read only, I/O, corrupt, full, cannot be opened, no database (https://sqlite.org/rescode.html). */
const unusable = [8, 10, 11, 13, 14, 26];
