import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyBaseLogger } from 'fastify';
import { hours } from '../contract/units.ts';
import { makeFolder } from '../store/make-folder.ts';
import type { Config } from './settings/config.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '..', 'cli', 'vestibule.ts');

type BackupSettings = Pick<Config, 'PUBLIC_URL' | 'BACKUP_DIR' | 'BACKUP_EVERY_HOURS' | 'BACKUPS_KEPT'>;

/**
 * The backups in a folder, oldest first. Backups with a future date, made while the clock was ahead, are ignored until
 * that date; otherwise no backup would be made until then. Throws if the folder does not exist.
 */
function backupsIn(folder: string, names: BackupNames): { readonly file: string; readonly at: number }[] {
  const files = readdirSync(folder).map((file) => ({ file, at: names.startOf(file) ?? Number.POSITIVE_INFINITY }));
  return files.filter(({ at }) => at <= Date.now()).toSorted((one, other) => one.at - other.at);
}

/**
 * When an installation's newest backup in a folder was started, in milliseconds since the epoch; undefined if there is
 * none.
 */
export const newestBackupIn = (folder: string, names: BackupNames): number | undefined =>
  existsSync(folder) ? backupsIn(folder, names).at(-1)?.at : undefined;

/** Makes a backup if the newest is older than the interval, and deletes the oldest. */
export async function backUpIfDue(config: BackupSettings, log: Pick<FastifyBaseLogger, 'info'>): Promise<void> {
  const { BACKUP_DIR = '', BACKUP_EVERY_HOURS, BACKUPS_KEPT } = config;
  const folder = resolve(BACKUP_DIR);
  const names = backupNames(config);
  makeFolder(folder);
  const now = Date.now();
  if (now - (newestBackupIn(folder, names) ?? 0) < hours(BACKUP_EVERY_HOURS)) return;
  for (const left of readdirSync(folder).filter(names.isUnfinished)) rmSync(join(folder, left));
  const file = join(folder, names.nameAt(now));
  // In a separate process: verifying reads every page of the copy, which would block requests.
  await run(process.execPath, [program, 'backup', file, '--reason', 'BACKUP_DIR']).catch(explain);
  log.info({ file }, 'backup made');
  for (const { file: old } of backupsIn(folder, names).slice(0, -BACKUPS_KEPT)) rmSync(join(folder, old));
}

/** What the command printed says more than how it ended. */
function explain(cause: Error & { stderr?: string }): never {
  throw new Error(cause.stderr?.trim() || cause.message, { cause });
}

/** When the newest backup was started, in milliseconds since the epoch; 0 if there is none. */
export function newestBackup(config: BackupSettings): number {
  try {
    return newestBackupIn(resolve(config.BACKUP_DIR ?? ''), backupNames(config)) ?? 0;
  } catch {
    return 0;
  }
}

/** Names of the backups that an installation makes in its BACKUP_DIR. */
type BackupNames = ReturnType<typeof backupNames>;

const time = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)\.sqlite(\.unfinished.*)?$/;

/**
 * Others may share the folder, such as a staging installation, so each name has the host of PUBLIC_URL, which is the same
 * after a move to another machine or a rotation of the keys.
 */
export function backupNames({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) {
  const prefix = `vestibule-${new URL(PUBLIC_URL).host.replaceAll(/[^\w.]+/g, '-')}-`;
  const partsOf = (file: string) => (file.startsWith(prefix) ? time.exec(file.slice(prefix.length)) : null) ?? [];

  return {
    /** For a backup that starts at this time, in milliseconds since the epoch. */
    nameAt: (at: number): string => `${prefix}${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}.sqlite`,
    /** When a backup was started, in milliseconds since the epoch; undefined for any file that is not this installation's. */
    startOf(file: string): number | undefined {
      const [, day, hour, minute, second, unfinished] = partsOf(file);
      if (day === undefined || unfinished !== undefined) return undefined;
      return Date.parse(`${day}T${hour}:${minute}:${second}Z`);
    },
    /** Whether a killed process left the file of a backup, or one of SQLite's files beside it. */
    isUnfinished: (file: string): boolean => partsOf(file)[5] !== undefined,
  };
}
