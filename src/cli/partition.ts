import { readConfig } from '../server/settings/config.ts';
import { waitForDatabase } from '../server/wait-for-database.ts';
import { openClock } from '../store/clock.ts';
import { openStore } from '../store/database.ts';
import { partitionTables } from '../store/partitions/partition-tables.ts';
import { type BareCommand, UsageError } from './command.ts';
import { checkReason, reasonOption } from './operator.ts';
import { recordMaintenance } from './record-maintenance.ts';

export const partitionCommand: BareCommand = {
  name: ['partition'],
  usage: 'partition [--reason TEXT]',
  summary:
    'divide activity, notifications and records by month while the service runs, so that the clean-up drops whole months in one step; only PostgreSQL, and only after every node runs this version',
  options: reasonOption,
  async runBare({ environment, positionals, options, now }) {
    checkReason({ options });
    if (positionals.length > 0) throw new UsageError('partition [--reason TEXT]');
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = readConfig(environment);
    if (!databaseUrl) throw new UsageError('partition: SQLite has no partitions; its clean-up deletes row by row');
    await waitForDatabase({ dataDir, databaseUrl });
    const tables = await partitionAll({ dataDir, databaseUrl });
    const changed = tables.filter(({ converted, created }) => converted || created.length > 0);
    const subject = changed.map(({ table }) => table).join(', ');
    const entry = { now, environment, options, action: 'database_partitioned', subject } as const;
    const unrecorded = changed.length > 0 ? await recordMaintenance({ dataDir, databaseUrl }, entry) : '';
    const lines = tables.map(
      ({ table, converted, created, left }) =>
        `${table}: ${[converted ? 'divided by month' : 'was already divided', ...created].join(', ')}${left.map((name) => `; ${name} stays in ${table}_default, which has many of its rows`).join('')}`,
    );
    return { text: `${lines.join('\n')}${unrecorded}`, data: { tables } };
  },
};

/** Without a time limit: reading a large table once can take hours. */
async function partitionAll(database: { readonly dataDir: string; readonly databaseUrl: string }) {
  const store = openStore(database, { waitsFor: Number.POSITIVE_INFINITY });
  try {
    const clock = await openClock(store, { wallClock: Date.now });
    clock.stop();
    return await partitionTables(store, clock.now());
  } finally {
    await store.destroy();
  }
}
