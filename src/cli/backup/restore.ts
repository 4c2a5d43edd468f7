import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { iso } from '../../contract/iso-time.ts';
import { SettingsError } from '../../contract/settings-error.ts';
import { lockFolder } from '../../server/process/folder-lock.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { secretFile, writeSecretTo } from '../../server/settings/operator-secret.ts';
import { waitForDatabase } from '../../server/wait-for-database.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { companionsOf, databaseFile, isInUse, restoredFile } from '../../store/sqlite/files.ts';
import type { BareCommand } from '../command.ts';
import { checkReason, reasonOption } from '../operator.ts';
import { counted } from '../readable.ts';
import { recordMaintenance } from '../record-maintenance.ts';
import { refuseUnreadable } from '../refuse-unreadable.ts';
import { oneFile } from './backup.ts';
import { type Backup, describeBackup, refuseNewerBackup, syncFolder, unpackBackup } from './backup-file.ts';
import { fillPostgres } from './fill-postgres.ts';

export const restore: BareCommand = {
  name: ['restore'],
  usage: 'restore FILE [--reason TEXT]',
  summary:
    'replace the SQLite database and its keys with a backup, while the service is stopped; with DATABASE_URL, fill an empty PostgreSQL database',
  options: reasonOption,
  async runBare(given) {
    const { environment, positionals, now, folder } = given;
    checkReason(given);
    const config = readConfig(environment);
    const file = resolve(folder, oneFile('restore', positionals));
    refuseUnreadable(file);
    const backup = await describeBackup(file, config);
    refuseNewerBackup(file);
    const { DATABASE_URL: databaseUrl } = config;
    const { place, former } = databaseUrl
      ? await intoPostgres(file, { backup, databaseUrl, config })
      : await intoFolder(file, { backup, config, now });
    const made = iso(backup.madeAt);
    const unrecorded = await recordMaintenance(
      { dataDir: config.DATA_DIR, databaseUrl },
      { ...given, action: 'database_restored', subject: `${file}, as of ${made}` },
    );
    const kept = former ? `; the previous data is in ${former}` : '';
    return {
      text: `${place}: ${counted(backup.accounts, 'account')} as of ${made}${kept}${unrecorded}`,
      data: { accounts: backup.accounts, made_at: made, former: former ?? null },
    };
  },
};

interface Restored {
  readonly place: string;
  readonly former?: string | undefined;
}

interface IntoFolder {
  readonly backup: Backup;
  readonly config: Config;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function intoFolder(file: string, { backup, config, now }: IntoFolder): Promise<Restored> {
  const dataDir = resolve(config.DATA_DIR);
  if (isInUse(databaseFile(dataDir)))
    throw new SettingsError(`DATA_DIR: a service is still running on ${dataDir}; stop it first`);
  // Neither a service nor a second restore may begin meanwhile.
  const unlock = lockFolder({ DATA_DIR: dataDir });
  try {
    return { place: dataDir, former: await replaceData(file, { dataDir, secret: backup.secret, now }) };
  } finally {
    unlock();
  }
}

interface Replacement {
  readonly dataDir: string;
  readonly secret: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Writes everything first, and then only renames: a full disk or a broken-off command leaves the data in place, or aside. */
async function replaceData(file: string, { dataDir, secret, now }: Replacement): Promise<string | undefined> {
  const database = databaseFile(dataDir);
  const restored = restoredFile(database);
  const secretRestored = restoredFile(secretFile(dataDir));
  await unpackBackup(file, restored);
  chmodSync(restored, 0o600);
  if (secret !== undefined) writeSecretTo(secretRestored, secret);
  const former = setAside(dataDir, { withSecret: secret !== undefined, at: now });
  if (secret !== undefined) renameSync(secretRestored, secretFile(dataDir));
  // Last: until then, the service refuses to start.
  renameSync(restored, database);
  syncFolder(dataDir);
  return former;
}

interface IntoPostgres {
  readonly backup: Backup;
  readonly databaseUrl: string;
  readonly config: Config;
}

/** Migrates the backup in a temporary folder first, because it may be older. */
async function intoPostgres(file: string, { backup, databaseUrl, config }: IntoPostgres): Promise<Restored> {
  makeFolder(config.DATA_DIR);
  const dataDir = mkdtempSync(join(config.DATA_DIR, 'restored-'));
  try {
    await unpackBackup(file, databaseFile(dataDir));
    await waitForDatabase({ dataDir });
    await waitForDatabase({ dataDir, databaseUrl });
    const secrets = { former: backup.secret ?? config.SECRET_KEY, next: config.SECRET_KEY };
    await fillPostgres({ file: databaseFile(dataDir), databaseUrl, secrets });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return { place: 'PostgreSQL' };
}

interface Aside {
  readonly withSecret: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Moves the replaced files to a new folder, so that an operator who chose the wrong backup can go back. */
function setAside(dataDir: string, { withSecret, at }: Aside): string | undefined {
  const database = databaseFile(dataDir);
  const secret = withSecret ? [secretFile(dataDir)] : [];
  // A journal that stayed would be played back into the restored database.
  const replaced = [database, `${database}-journal`, ...companionsOf(database), ...secret].filter(existsSync);
  if (replaced.length === 0) return undefined;
  const folder = join(dataDir, `before-restore-${iso(at).replaceAll(/[:.]/g, '-')}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const file of replaced) renameSync(file, join(folder, basename(file)));
  return folder;
}
