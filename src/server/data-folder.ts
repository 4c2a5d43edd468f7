import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SettingsError } from '../contract/settings.ts';
import { makeFolder } from '../store/make-folder.ts';
import { companionsOf, databaseFile, isLocked, lockWithFile, restoredFile } from '../store/sqlite/files.ts';
import type { Config } from './settings/config.ts';
import { secretFile } from './settings/environment.ts';

/** Why this user cannot write an existing file or folder; undefined if they can. */
function whyUnchangeable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (statSync(path).isDirectory() ? constants.X_OK : 0));
    return undefined;
  } catch (error) {
    const isOnReadOnlyDisk = (error as NodeJS.ErrnoException).code === 'EROFS';
    return isOnReadOnlyDisk ? 'its disk is read-only' : 'this user lacks permission to read and write it';
  }
}

/** The types of Linux's `proc` and `sysfs` (statfs(2)): root may write there, but the kernel keeps no files. */
const withoutFiles = [0x9fa0, 0x62656572];

/** Why this user cannot write to a folder, or cannot create it; undefined if they can. */
export function whyUnusableFolder(folder: string): string | undefined {
  let there = resolve(folder);
  while (!existsSync(there)) there = dirname(there);
  if (!statSync(there).isDirectory()) return `${there} is not a folder`;
  if (withoutFiles.includes(statfsSync(there).type)) return `no files can be created in ${there}`;
  return whyUnchangeable(there);
}

/** The first of the database, its folder and SQLite's companion files that this user cannot write, and why. */
export function unchangeableDatabase(file: string): string | undefined {
  return firstUnchangeable([dirname(file), file, ...companionsOf(file)]);
}

function firstUnchangeable(paths: readonly string[]): string | undefined {
  const path = paths.find((one) => existsSync(one) && whyUnchangeable(one) !== undefined);
  return path === undefined ? undefined : `${path} cannot be used: ${whyUnchangeable(path)}`;
}

/** Refuses files in the data folder that belong to another user, as after a `restore` or a first start by root. */
export function refuseForeignFiles({ DATA_DIR, DATABASE_URL }: Pick<Config, 'DATA_DIR' | 'DATABASE_URL'>): void {
  const file = databaseFile(DATA_DIR);
  const ofSqlite = DATABASE_URL ? [] : [file, ...companionsOf(file), secretFile(DATA_DIR), lockFile(DATA_DIR)];
  const foreign = firstUnchangeable([
    DATA_DIR,
    ...ofSqlite,
    ...['assets', 'pages', 'inbox'].map((name) => join(DATA_DIR, name)),
  ]);
  if (foreign !== undefined) throw new SettingsError(`DATA_DIR: ${foreign}`);
}

/** Refuses a folder whose restore ended after it had set the data aside: a start would create an empty database. */
export function refuseInterruptedRestore(dataDir: string): void {
  const file = databaseFile(dataDir);
  if (existsSync(file) || !existsSync(restoredFile(file))) return;
  const former = join(resolve(dataDir), 'before-restore-…');
  throw new SettingsError(
    `DATA_DIR: a restore into ${dataDir} was interrupted: run it again, or move the files in ${former} back`,
  );
}

const diskErrors = /^(?:EACCES|EPERM|ENOSPC|EDQUOT|EROFS|EIO)$/;

/** Turns the error of a full, broken or inaccessible disk into a `SettingsError`; returns any other error unchanged. */
export function asDiskError(error: Error & { code?: string; syscall?: string }): Error {
  return diskErrors.test(error.code ?? '') || error.syscall === 'mkdir'
    ? new SettingsError(`DATA_DIR: ${error.message}`, { cause: error })
    : error;
}

const lockFile = (dataDir: string): string => join(dataDir, 'service.lock');

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
