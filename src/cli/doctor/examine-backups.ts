import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { hours, seconds } from '../../contract/durations.ts';
import { backupNames } from '../../server/backup-names.ts';
import { newestBackupIn } from '../../server/backups.ts';
import { whyUnusableFolder } from '../../server/process/data-folder.ts';
import type { Config } from '../../server/settings/config.ts';
import { databaseFile } from '../../store/sqlite/files.ts';
import { readable } from '../readable.ts';
import type { CheckResult } from './finding.ts';

/** Whether the service can write its backups, and how old the newest is. */
export function examineBackups(config: Config, now: number): CheckResult {
  const { BACKUP_DIR = '', BACKUP_EVERY_HOURS, DATA_DIR } = config;
  const folder = resolve(BACKUP_DIR);
  const unusable = whyUnusableFolder(folder);
  if (unusable !== undefined) throw new Error(`BACKUP_DIR: ${folder} cannot be used: ${unusable}`);
  const newest = newestBackupIn(folder, backupNames(config));
  if (newest === undefined) {
    const none = `none in ${folder} yet: the service makes one when it starts`;
    // A service that has run since the setting was added has failed, as on a disk that is too small.
    return existsSync(databaseFile(DATA_DIR))
      ? { warning: `${none}; if it has started since, search its log for "backup failed"` }
      : none;
  }
  const age = now - newest;
  const says = `the newest in ${folder} is ${readable(age / seconds(1))} old`;
  return age > 2 * hours(BACKUP_EVERY_HOURS) ? { warning: says } : says;
}
