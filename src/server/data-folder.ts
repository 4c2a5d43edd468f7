import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SettingsError } from '../contract/settings-error.ts';
import { companionsOf, databaseFile } from '../store/sqlite/files.ts';
import type { Config } from './config.ts';
import { secretFile } from './operator-secret.ts';

/** Why this user cannot change a file or a folder that is there; undefined where they can. */
function whyUnchangeable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (statSync(path).isDirectory() ? constants.X_OK : 0));
    return undefined;
  } catch (error) {
    const isOnReadOnlyDisk = (error as NodeJS.ErrnoException).code === 'EROFS';
    return isOnReadOnlyDisk ? 'its disk can only be read' : 'this user may not read and change it';
  }
}

/** Why this user can keep nothing in a folder, or cannot make it where it is not there yet; undefined where they can. */
export function whyUnusableFolder(folder: string): string | undefined {
  let there = resolve(folder);
  while (!existsSync(there)) there = dirname(there);
  if (!statSync(there).isDirectory()) return `${there} is no folder`;
  return whyUnchangeable(there);
}

/** Of the database, its folder and what SQLite keeps beside it, as far as they are there, the first that this user cannot change, and why. */
export function unchangeableDatabase(file: string): string | undefined {
  return firstUnchangeable([dirname(file), file, ...companionsOf(file)]);
}

function firstUnchangeable(paths: readonly string[]): string | undefined {
  const path = paths.find((one) => existsSync(one) && whyUnchangeable(one) !== undefined);
  return path === undefined ? undefined : `${path} cannot be used: ${whyUnchangeable(path)}`;
}

/** Refuses what somebody else has made in the data folder, as root does with a `restore` or a first start. */
export function refuseForeignFiles({ DATA_DIR, DATABASE_URL }: Pick<Config, 'DATA_DIR' | 'DATABASE_URL'>): void {
  const file = databaseFile(DATA_DIR);
  const ofSqlite = DATABASE_URL ? [] : [file, ...companionsOf(file), secretFile(DATA_DIR)];
  const foreign = firstUnchangeable([
    DATA_DIR,
    ...ofSqlite,
    ...['assets', 'pages', 'inbox'].map((name) => join(DATA_DIR, name)),
  ]);
  if (foreign !== undefined) throw new SettingsError(`DATA_DIR: ${foreign}`);
}

const faultsOfDisks = /^(?:EACCES|EPERM|ENOSPC|EDQUOT|EROFS|EIO)$/;

/** A disk that is full, broken or closed to us, said by the setting that names it; any other error as it is. */
export function asDiskError(error: Error & { code?: string; syscall?: string }): Error {
  return faultsOfDisks.test(error.code ?? '') || error.syscall === 'mkdir'
    ? new SettingsError(`DATA_DIR: ${error.message}`, { cause: error })
    : error;
}
