import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { SettingsError } from '../../contract/settings.ts';
import { openKeyEncryption } from '../../security/macs.ts';
import { counted } from '../../server/doctor/finding.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { readSecret } from '../../server/settings/environment.ts';
import { mayUse } from '../../store/migrate.ts';
import {
  companionsOf,
  copyDatabase,
  damageOf,
  databaseFile,
  isLocked,
  lockWithFile,
  openUntouched,
} from '../../store/sqlite/files.ts';
import { type BareCommand, checkReason, reasonOption, recordMaintenance, UsageError } from '../command.ts';

/** Works while the service runs. */
export const backup: BareCommand = {
  usage: 'backup FILE',
  summary: 'copy the SQLite database with its keys into one file, while the service runs',
  words: 'one file',
  example: 'backup /var/backups/vestibule.backup',
  options: reasonOption,
  async runBare(given) {
    const { environment, now, folder } = given;
    const [file = ''] = given.positionals;
    const config = readConfig(environment);
    const to = resolve(folder, file);
    refusePostgres(config);
    if (existsSync(to)) throw new UsageError(`${to} already exists`);
    if (!existsSync(databaseFile(config.DATA_DIR)))
      throw new UsageError(`DATA_DIR: ${config.DATA_DIR} has no database`);
    checkReason(given);
    const secret = config.SECRET_KEY ? undefined : readSecret(config);
    const verify = (file: string) => describeBackup(file, config);
    const { accounts } = await makeBackup({ from: databaseFile(config.DATA_DIR), to, secret, at: now, verify });
    const keys =
      secret === undefined ? 'does not contain SECRET_KEY' : 'contains the keys, so protect it like the data';
    const unrecorded = await recordMaintenance(
      { dataDir: config.DATA_DIR },
      { ...given, action: 'database_backed_up', subject: to },
    );
    return {
      text: `${to}: verified, ${counted(accounts, 'account')}; ${keys}${unrecorded}`,
      data: { file: to, accounts, bytes: statSync(to).size },
    };
  },
};

function refusePostgres({ DATABASE_URL }: Config): void {
  if (!DATABASE_URL) return;
  throw new UsageError('backup: the data is in PostgreSQL; use pg_dump, and also keep SECRET_KEY');
}

interface Making {
  readonly from: string;
  readonly to: string;
  /** The secret that seals the keys in the database, unless the operator stores it elsewhere. */
  readonly secret: string | undefined;
  readonly at: number;
  /** Throws unless the file can be restored. The file gets its final name only afterward. */
  readonly verify: (file: string) => Promise<Backup>;
}

/** Makes a backup: a copy of the database with an additional table for the secret. It is complete and verified, or absent. */
async function makeBackup({ from, to, secret, at, verify }: Making): Promise<Backup> {
  const unfinished = `${to}.unfinished`;
  const removeUnfinished = () => removeCopy(unfinished);
  const unlock = lockBackup(to);
  try {
    removeUnfinished();
    if (existsSync(to)) throw new UsageError(`${to} already exists`);
    await copyDatabase(from, unfinished);
    const copy = new DatabaseSync(unfinished);
    copy.exec('pragma journal_mode = delete; create table backup (secret text, made_at integer not null)');
    copy.prepare('insert into backup (secret, made_at) values (?, ?)').run(secret ?? null, at);
    copy.close();
    writeChecksum(unfinished);
    const made = await verify(unfinished);
    renameSync(unfinished, to);
    syncFolder(dirname(to));
    return made;
  } catch (cause) {
    throw cause instanceof UsageError || cause instanceof SettingsError ? cause : uncreated(to, cause);
  } finally {
    removeUnfinished();
    unlock();
  }
}

/** Two backups to one file, as of a timer and an operator, would replace and then publish the unfinished copy of the other. */
function lockBackup(to: string): () => void {
  const file = `${to}.unfinished-lock`;
  try {
    const unlock = lockWithFile(file);
    return () => {
      rmSync(file, { force: true });
      unlock();
    };
  } catch (cause) {
    if (isLocked(cause)) throw new UsageError(`another backup to ${to} is in progress`, { cause });
    throw uncreated(to, cause);
  }
}

function uncreated(to: string, cause: unknown): Error {
  const { message, code } = cause as NodeJS.ErrnoException;
  return Object.assign(new Error(`cannot create ${to}: ${message}`, { cause }), { code });
}

/** Removes a copy and what a killed command left beside it: SQLite would play back an old journal into a new copy. */
function removeCopy(file: string): void {
  for (const one of [file, `${file}-journal`, ...companionsOf(file)]) rmSync(one, { force: true });
}

/**
 * A number in SQLite's header that SQLite does not use (https://sqlite.org/fileformat.html, section 1.3): in a backup, the
 * checksum of everything else, because SQLite notices no changed byte of a value. 0 in other copies of a database.
 */
const checksumAt = 68;
const checksumBytes = 4;
const portionSize = 2 ** 20;

function checksumOf(descriptor: number): { readonly written: number; readonly actual: number } {
  const portion = Buffer.alloc(portionSize);
  let [at, sum, written] = [0, 0, 0];
  for (;;) {
    const length = readSync(descriptor, portion, 0, portionSize, at);
    if (length === 0) return { written, actual: sum || 1 };
    if (at === 0 && length >= checksumAt + checksumBytes) {
      written = portion.readUInt32BE(checksumAt);
      portion.writeUInt32BE(0, checksumAt);
    }
    sum = crc32(portion.subarray(0, length), sum);
    at += length;
  }
}

function writeChecksum(file: string): void {
  const descriptor = openSync(file, 'r+');
  const sum = Buffer.alloc(checksumBytes);
  sum.writeUInt32BE(checksumOf(descriptor).actual);
  writeSync(descriptor, sum, 0, checksumBytes, checksumAt);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function isAsWritten(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const { written, actual } = checksumOf(descriptor);
    return written === 0 || written === actual;
  } finally {
    closeSync(descriptor);
  }
}

/** A rename survives a power cut only after fsync of the folder. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, constants.O_RDONLY);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

export interface Backup {
  readonly accounts: number;
  readonly secret: string | undefined;
  readonly madeAt: number;
}

/** Reads a backup. Throws if a page is damaged, or a `SettingsError` if SECRET_KEY does not open its keys. */
export async function describeBackup(
  file: string,
  {
    SECRET_KEY,
    PREVIOUS_SECRET_KEY,
    DATABASE_URL,
  }: Pick<Config, 'SECRET_KEY' | 'PREVIOUS_SECRET_KEY' | 'DATABASE_URL'>,
): Promise<Backup> {
  using database = openBackup(file);
  const [damage] = damageOf(database);
  if (damage) throw new UsageError(`${file} is damaged: ${damage}`);
  if (!isAsWritten(file)) throw new UsageError(`${file} is damaged: its checksum is wrong`);
  const made = database.prepare('select secret, made_at from backup').get();
  const secret = made?.secret === null ? undefined : String(made?.secret);
  // A restore into PostgreSQL reseals the keys, so the new SECRET_KEY may differ from the secret in the backup.
  const box = openKeyEncryption(DATABASE_URL ? (secret ?? SECRET_KEY) : (SECRET_KEY ?? secret), PREVIOUS_SECRET_KEY);
  for (const { secret: sealed } of database.prepare('select secret from keys').all()) {
    tryKey(() => box.open(String(sealed)), file);
  }
  const accounts = Number(database.prepare('select count(*) as accounts from accounts').get()?.accounts);
  return { accounts, secret, madeAt: Number(made?.made_at) };
}

/** Throws a `UsageError` if this version could not start with the backup. */
export function refuseNewerBackup(file: string): void {
  using database = openBackup(file);
  const hasFloors = database.prepare("select 1 from sqlite_schema where name = 'oldest_code'").get();
  const floor = hasFloors && database.prepare('select max(migration) as migration from oldest_code').get()?.migration;
  if (!mayUse(String(floor ?? '')))
    throw new UsageError(`${file} is from a newer version, which knows "${floor}": restore it with that version`);
}

function openBackup(file: string): DatabaseSync {
  try {
    const database = openUntouched(file);
    database.prepare('select made_at from backup').get();
    return database;
  } catch (cause) {
    const { errcode = 0, message } = cause as Error & { errcode?: number };
    const verdict = verdicts[errcode & 0xff] ?? 'is not a Vestibule backup';
    throw new UsageError(`${file} ${verdict}: ${message}`, { cause });
  }
}

/** What SQLite's result codes (https://sqlite.org/rescode.html) say about a file: a backup may be good, but unreadable. */
const verdicts: Readonly<Record<number, string>> = {
  3: 'cannot be read',
  10: 'cannot be read',
  11: 'is damaged',
  14: 'cannot be read',
};

function tryKey(open: () => Buffer, file: string): void {
  try {
    open();
  } catch (cause) {
    throw new SettingsError(`SECRET_KEY: the keys in ${file} were sealed with another secret`, { cause });
  }
}

/** Copies a backup to a database file, without the additional table of backups. */
export async function unpackBackup(file: string, to: string): Promise<void> {
  removeCopy(to);
  await copyFile(file, to);
  const database = new DatabaseSync(to);
  database.exec('pragma secure_delete = on; drop table backup; pragma application_id = 0');
  database.close();
}
