import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyBaseLogger } from 'fastify';
import { hours, minutes } from '../contract/durations.ts';
import { makeFolder } from '../store/make-folder.ts';
import { type BackupNames, backupNames } from './backup-names.ts';
import type { Config } from './settings/config.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '..', 'cli', 'vestibule.ts');
const lookEvery = minutes(1);

export interface Backups {
  /** When the newest backup was started, in milliseconds since the epoch; undefined before the first one. */
  newest(): number | undefined;
  stop(): void;
}

interface BackupOptions {
  readonly config: Pick<Config, 'PUBLIC_URL' | 'BACKUP_DIR' | 'BACKUP_EVERY_HOURS' | 'BACKUPS_KEPT'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
}

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

/** Makes a backup when the newest is older than the interval, and deletes the oldest. Undefined without BACKUP_DIR. */
export function backUpRegularly({ config, log }: BackupOptions): Backups | undefined {
  const { BACKUP_DIR, BACKUP_EVERY_HOURS, BACKUPS_KEPT } = config;
  if (BACKUP_DIR === undefined) return undefined;
  const folder = resolve(BACKUP_DIR);
  const names = backupNames(config);
  let running = false;

  async function backUp(): Promise<void> {
    makeFolder(folder);
    const now = Date.now();
    if (now - (newestBackupIn(folder, names) ?? 0) < hours(BACKUP_EVERY_HOURS)) return;
    for (const left of readdirSync(folder).filter(names.isUnfinished)) rmSync(join(folder, left));
    const file = join(folder, names.nameAt(now));
    // In a separate process: verifying reads every page of the copy, which would block requests.
    await run(process.execPath, [program, 'backup', file, '--reason', 'BACKUP_DIR']);
    log.info({ file }, 'backup made');
    for (const { file: old } of backupsIn(folder, names).slice(0, -BACKUPS_KEPT)) rmSync(join(folder, old));
  }

  function look(): void {
    if (running) return;
    running = true;
    backUp()
      .catch((error: Error & { stderr?: string }) =>
        log.error({ error: error.stderr?.trim() || error.message }, 'backup failed'),
      )
      .finally(() => {
        running = false;
      });
  }

  look();
  const timer = setInterval(look, lookEvery).unref();
  return { newest: () => newestOrNone(() => newestBackupIn(folder, names)), stop: () => clearInterval(timer) };
}

function newestOrNone(newest: () => number | undefined): number | undefined {
  try {
    return newest();
  } catch {
    return undefined;
  }
}
