import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '../../contract/settings-error.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { isLocked, lockWithFile } from '../../store/sqlite/file-lock.ts';
import type { Config } from '../settings/config.ts';

/** The file that a service locks in its data folder. */
export const lockFile = (dataDir: string): string => join(dataDir, 'service.lock');

/**
 * Locks a data folder until `unlock` or the end of the process, however it ends. A second
 * service would have its own rate limits, and each would delete files of the other. Throws a `SettingsError` if the
 * folder is locked. With PostgreSQL, nodes may share a folder.
 */
export function lockFolder({ DATA_DIR, DATABASE_URL }: Pick<Config, 'DATA_DIR' | 'DATABASE_URL'>): () => void {
  if (DATABASE_URL) return () => undefined;
  try {
    makeFolder(DATA_DIR);
    return lockWithFile(lockFile(DATA_DIR));
  } catch (cause) {
    throw new SettingsError(
      isLocked(cause)
        ? `DATA_DIR: another service is running on ${DATA_DIR}: stop it, or use another folder`
        : `DATA_DIR: ${existsSync(lockFile(DATA_DIR)) ? lockFile(DATA_DIR) : DATA_DIR} cannot be used: ${(cause as Error).message}`,
      { cause },
    );
  }
}
