import { existsSync } from 'node:fs';
import { readConfig } from '../server/settings/config.ts';
import { waitForDatabase } from '../server/wait-for-database.ts';
import { type DatabaseSettings, openStore } from '../store/database.ts';
import { stepsAhead } from '../store/migrate.ts';
import { createPartitions } from '../store/partitions.ts';
import { databaseFile } from '../store/sqlite/files.ts';
import {
  type BareCommand,
  type CommandResult,
  checkReason,
  reasonOption,
  recordMaintenance,
  UsageError,
} from './command.ts';

export const migrateCommand: BareCommand = {
  usage: 'migrate',
  summary:
    'migrate the database to this version, and create PostgreSQL’s partitions of the coming months; --check only prints the number of pending migrations',
  example: 'migrate --check',
  options: { check: { type: 'boolean', help: 'only print the number of pending migrations' }, ...reasonOption },
  async runBare({ environment, options, now }) {
    checkReason({ options });
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = readConfig(environment);
    if (options.check === true) return check({ dataDir, databaseUrl });
    const done = await waitForDatabase({ dataDir, databaseUrl });
    if (databaseUrl) await addPartitions({ dataDir, databaseUrl }, now);
    const entry = { now, environment, options, action: 'database_migrated', subject: `${done} migrations` } as const;
    const unrecorded = done > 0 ? await recordMaintenance({ dataDir, databaseUrl }, entry) : '';
    return { text: `The database is up to date${unrecorded}.`, data: { migrated: true } };
  },
};

/** Nodes do this too, unless their role may only change data. */
async function addPartitions(database: DatabaseSettings, now: number): Promise<void> {
  await using store = openStore(database);
  await createPartitions(store, now);
}

async function check(database: {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}): Promise<CommandResult> {
  const { dataDir, databaseUrl } = database;
  if (!databaseUrl && !existsSync(databaseFile(dataDir))) throw new UsageError(`DATA_DIR: ${dataDir} has no database`);
  await using store = openStore(database, { readOnly: true });
  const ahead = await stepsAhead(store);
  const text =
    ahead === 0 ? 'The database is up to date.' : `${ahead} pending migrations, which run at the next start.`;
  return { text, data: { ahead }, failed: ahead > 0 };
}
