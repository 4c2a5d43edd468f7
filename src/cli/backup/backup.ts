import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { readSecret } from '../../server/settings/operator-secret.ts';
import { databaseFile } from '../../store/sqlite/files.ts';
import { type BareCommand, UsageError } from '../command.ts';
import { checkReason, reasonOption } from '../operator.ts';
import { counted } from '../readable.ts';
import { recordMaintenance } from '../record-maintenance.ts';
import { describeBackup, makeBackup } from './backup-file.ts';

/** Works while the service runs. */
export const backup: BareCommand = {
  name: ['backup'],
  usage: 'backup FILE [--reason TEXT]',
  summary: 'copy the SQLite database with its keys into one file, while the service runs',
  options: reasonOption,
  async runBare(given) {
    const { environment, positionals, now, folder } = given;
    const config = readConfig(environment);
    const to = resolve(folder, oneFile('backup', positionals));
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

/** The single file argument of a command. */
export function oneFile(command: string, [file, ...more]: readonly string[]): string {
  if (!file || more.length > 0) throw new UsageError(`${command} FILE: one file`);
  return file;
}

function refusePostgres({ DATABASE_URL }: Config): void {
  if (!DATABASE_URL) return;
  throw new UsageError('backup: the data is in PostgreSQL; use pg_dump, and also keep SECRET_KEY');
}
