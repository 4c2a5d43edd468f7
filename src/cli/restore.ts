import { chmodSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { SettingsError } from '../contract/settings-error.ts';
import { readConfig } from '../server/config.ts';
import { secretFile, writeSecret } from '../server/keyring.ts';
import { companionsOf, databaseFile, isInUse } from '../store/sqlite/files.ts';
import { oneFile, refusePostgres } from './backup.ts';
import { describeBackup, syncFolder, unpackBackup } from './backup-file.ts';
import { type BareCommand, UsageError } from './command.ts';

export const restore: BareCommand = {
  name: ['restore'],
  usage: 'restore FILE',
  summary: 'put a backup in place of the SQLite database and its keys, while the service is stopped',
  async runBare({ environment, positionals, now, folder }) {
    const config = readConfig(environment);
    const file = resolve(folder, oneFile('restore', positionals));
    refusePostgres('restore', config);
    if (!existsSync(file)) throw new UsageError(`${file} is not there`);
    const { accounts, secret, madeAt } = await describeBackup(file, config);
    const dataDir = resolve(config.DATA_DIR);
    const database = databaseFile(dataDir);
    if (isInUse(database)) throw new SettingsError(`DATA_DIR: the service still runs on ${dataDir}; stop it first`);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const unfinished = `${database}.restored`;
    await unpackBackup(file, unfinished);
    chmodSync(unfinished, 0o600);
    const former = setAside(dataDir, { withSecret: secret !== undefined, at: now });
    if (secret !== undefined) writeSecret(dataDir, secret);
    renameSync(unfinished, database);
    syncFolder(dataDir);
    const made = new Date(madeAt).toISOString();
    return {
      text: `${dataDir}: ${accounts} accounts as of ${made}${former ? `; what was there before is in ${former}` : ''}`,
      data: { accounts, made_at: made, former: former ?? null },
    };
  },
};

interface Aside {
  readonly withSecret: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Moves what the backup replaces into a folder of its own: an operator who took the wrong backup can go back. */
function setAside(dataDir: string, { withSecret, at }: Aside): string | undefined {
  const database = databaseFile(dataDir);
  const replaced = [...(withSecret ? [secretFile(dataDir)] : []), database, ...companionsOf(database)].filter(
    existsSync,
  );
  if (replaced.length === 0) return undefined;
  const folder = join(dataDir, `before-restore-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const file of replaced) renameSync(file, join(folder, basename(file)));
  return folder;
}
