import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config.ts';
import { readEnvironment } from '../environment.ts';
import { openStore } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { type Command, UsageError } from './command.ts';
import { migrateCommand } from './migrate.ts';
import { promoAdd } from './promo-add.ts';

const commands: readonly Command[] = [promoAdd, migrateCommand];

const usage = () =>
  [
    'Usage: vestibule COMMAND [--json]',
    '',
    ...commands.map((command) => `  ${command.usage.padEnd(50)} ${command.summary}`),
  ].join('\n');

/** Runs one command against the database that the settings name. Exit code 0 only when it did what it says. */
async function run(words: readonly string[]): Promise<void> {
  const command = commands.find(({ name }) => name.every((word, at) => words[at] === word));
  if (!command) throw new UsageError(usage());
  const { values, positionals } = parseArgs({
    args: words.slice(command.name.length),
    options: { json: { type: 'boolean' }, ...command.options },
    allowPositionals: true,
  });
  const config = readConfig(readEnvironment());
  const store = openStore({ dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL });
  try {
    await migrate(store);
    const result = await command.run({ store, now: Date.now(), positionals, options: values });
    process.stdout.write(values.json ? `${JSON.stringify(result.data)}\n` : `${result.text}\n`);
  } finally {
    await store.destroy();
  }
}

run(process.argv.slice(2)).catch((error: Error & { code?: string }) => {
  const expected =
    error instanceof UsageError || error instanceof ConfigError || error.code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`${expected ? error.message : (error.stack ?? error.message)}\n`);
  process.exitCode = expected ? 2 : 1;
});
