import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingsError } from '../../contract/settings-error.ts';
import { makeFolder } from '../../store/make-folder.ts';
import type { Config } from '../settings/config.ts';

/** The file that a service locks in its data folder. */
export const lockFile = (dataDir: string): string => join(dataDir, 'service.lock');

const sqliteBusy = 5;

/**
 * Locks a data folder with an SQLite database until `unlock` or the end of the process, however it ends. A second
 * service would have its own rate limits, and each would delete files of the other. Throws a `SettingsError` if the
 * folder is locked. With PostgreSQL, nodes may share a folder.
 */
export function lockFolder({ DATA_DIR, DATABASE_URL }: Pick<Config, 'DATA_DIR' | 'DATABASE_URL'>): () => void {
  if (DATABASE_URL) return () => undefined;
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(DATA_DIR);
    // The system releases the locks of SQLite when their process ends; Node itself has no locks for files.
    lock = new DatabaseSync(lockFile(DATA_DIR), { timeout: 0 });
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return () => lock?.close();
  } catch (cause) {
    lock?.close();
    const { errcode, message } = cause as Error & { errcode?: number };
    throw new SettingsError(
      errcode === sqliteBusy
        ? `DATA_DIR: another service is running on ${DATA_DIR}: stop it, or use another folder`
        : `DATA_DIR: ${existsSync(lockFile(DATA_DIR)) ? lockFile(DATA_DIR) : DATA_DIR} cannot be used: ${message}`,
      { cause },
    );
  }
}
