import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyBaseLogger } from 'fastify';
import { hours, minutes } from '../contract/durations.ts';
import { makeFolder } from '../store/make-folder.ts';
import type { Config } from './settings/config.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '..', 'cli', 'vestibule.ts');
const lookEvery = minutes(1);
/** Names of our own backups; other files in the folder are left alone. */
const ours = /^vestibule-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)\.sqlite$/;
/** What a killed process left of a backup, with SQLite's files beside it. */
const brokenOff = /^vestibule-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.sqlite\.unfinished/;

export interface Backups {
  /** When the newest backup was started, in milliseconds since the epoch; undefined before the first one. */
  newest(): number | undefined;
  stop(): void;
}

interface BackupOptions {
  readonly config: Pick<Config, 'BACKUP_DIR' | 'BACKUP_EVERY_HOURS' | 'BACKUPS_KEPT'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
}

const nameOf = (at: number): string =>
  `vestibule-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}.sqlite`;

function timeOf(file: string): number {
  const [day = '', time = ''] = (ours.exec(file)?.[1] ?? '').split('T');
  return Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
}

/**
 * The backups in a folder, oldest first. Backups with a future date, made while the clock was ahead, are ignored until
 * that date; otherwise no backup would be made until then. Throws if the folder does not exist.
 */
const backupsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => ours.test(file) && timeOf(file) <= Date.now())
    .toSorted();

/** When the newest backup in a folder was started, in milliseconds since the epoch; undefined if there is none. */
export function newestBackupIn(folder: string): number | undefined {
  const last = existsSync(folder) ? backupsIn(folder).at(-1) : undefined;
  return last === undefined ? undefined : timeOf(last);
}

/** Makes a backup when the newest is older than the interval, and deletes the oldest. Undefined without BACKUP_DIR. */
export function backUpRegularly({ config, log }: BackupOptions): Backups | undefined {
  const { BACKUP_DIR, BACKUP_EVERY_HOURS, BACKUPS_KEPT } = config;
  if (BACKUP_DIR === undefined) return undefined;
  const folder = resolve(BACKUP_DIR);
  let running = false;

  async function backUp(): Promise<void> {
    makeFolder(folder);
    const now = Date.now();
    if (now - (newestBackupIn(folder) ?? 0) < hours(BACKUP_EVERY_HOURS)) return;
    for (const left of readdirSync(folder).filter((name) => brokenOff.test(name))) rmSync(join(folder, left));
    const file = join(folder, nameOf(now));
    // In a separate process: verifying reads every page of the copy, which would block requests.
    await run(process.execPath, [program, 'backup', file, '--reason', 'BACKUP_DIR']);
    log.info({ file }, 'backup made');
    for (const old of backupsIn(folder).slice(0, -BACKUPS_KEPT)) rmSync(join(folder, old));
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
  return { newest: () => newestOrNone(() => newestBackupIn(folder)), stop: () => clearInterval(timer) };
}

function newestOrNone(newest: () => number | undefined): number | undefined {
  try {
    return newest();
  } catch {
    return undefined;
  }
}
