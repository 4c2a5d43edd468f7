import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../server/settings/config.ts';
import { databaseFile } from '../../store/sqlite/files.ts';
import type { CheckResult } from './finding.ts';

/** The free space on the disk of DATA_DIR. */
export function examineDisk({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): CheckResult {
  let folder = resolve(DATA_DIR);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize, blocks } = statfsSync(folder);
  if (blocks === 0) return `the free space in ${folder} is unknown`;
  const kept = statSync(databaseFile(DATA_DIR), { throwIfNoEntry: false })?.size ?? 0;
  return judgeSpace({ folder, free: bavail * bsize, kept });
}

const megabyte = 2 ** 20;
/** Room for a build's assets and pages, and for SQLite's write-ahead log. */
const least = 32 * megabyte;
const comfortable = 256 * megabyte;

interface Space {
  readonly folder: string;
  /** Bytes. */
  readonly free: number;
  /** Bytes of the database. */
  readonly kept: number;
}

/** Throws if the disk is almost full; warns if the database has no room to double. */
export function judgeSpace({ folder, free, kept }: Space): CheckResult {
  const says = `${Math.floor(free / megabyte)} MB free in ${folder}`;
  if (free < least) throw new Error(`${says}: on a full disk, every write fails with 503`);
  return free < Math.max(comfortable, kept) ? { warning: says } : says;
}
