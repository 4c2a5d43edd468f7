import { parseArgs } from 'node:util';
import { SettingsError } from '../contract/settings.ts';
import { minutes } from '../contract/units.ts';
import { type Config, readConfig } from '../server/settings/config.ts';
import { describeVersion, readVersion } from '../server/version.ts';
import { isNotReached, waitForDatabase } from '../server/wait-for-database.ts';
import { openStore, type Store } from '../store/database.ts';
import { subscribe } from '../store/webhooks/event-types.ts';
import { readReceivers } from '../webhooks/receivers-file.ts';
import {
  accountsDelete,
  accountsEndSessions,
  accountsExport,
  accountsLock,
  accountsRemovePasskey,
  accountsSecondStep,
  accountsUnlock,
} from './account-changes.ts';
import { accountsFind, accountsShow, accountsWhy } from './accounts.ts';
import { auditCommand } from './audit.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { callsList } from './calls.ts';
import { clientsAdd, clientsList, clientsRemove, clientsSecret, clientsShow } from './clients.ts';
import { type Command, type CommandOption, type Environment, inColumns, UsageError } from './command.ts';
import { doctor } from './doctor/doctor.ts';
import { groupsAdd, groupsList, groupsRemove } from './groups.ts';
import { importCommand } from './import/import.ts';
import { keysList, keysRotate } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { outboxList, outboxRetry, suppressedList, suppressedRemove } from './outbox.ts';
import { prepare } from './prepare.ts';
import { promoAdd } from './promo-add.ts';
import { webhooksDeliveries, webhooksEnable, webhooksList, webhooksRetry } from './webhooks.ts';

const commands: readonly Command[] = [
  accountsFind,
  accountsShow,
  accountsWhy,
  accountsLock,
  accountsUnlock,
  accountsEndSessions,
  accountsRemovePasskey,
  accountsSecondStep,
  accountsExport,
  accountsDelete,
  importCommand,
  promoAdd,
  clientsAdd,
  clientsList,
  clientsShow,
  clientsSecret,
  clientsRemove,
  groupsAdd,
  groupsRemove,
  groupsList,
  outboxRetry,
  outboxList,
  suppressedRemove,
  suppressedList,
  callsList,
  webhooksDeliveries,
  webhooksRetry,
  webhooksEnable,
  webhooksList,
  auditCommand,
  backup,
  restore,
  keysRotate,
  keysList,
  migrateCommand,
  prepare,
  doctor,
];

/** Longer than the limit for requests: some commands read every row. */
const commandTimeBudget = minutes(10);

const startsWith = (words: readonly string[], beginning: readonly string[]): boolean =>
  beginning.every((word, at) => words[at] === word);

/** The commands that start with a word, such as `accounts`, or all commands. */
function commandsOf(word: string | undefined): readonly Command[] {
  const asked = commands.filter(({ name }) => name[0] === word);
  return asked.length > 0 ? asked : commands;
}

const commonOptions = {
  json: { type: 'boolean', help: 'print the result as JSON' },
  help: { type: 'boolean', help: 'explain a command, or a group such as accounts' },
} as const satisfies Record<string, CommandOption>;

const exitCodes = 'Exit codes: 0 success, 1 the command failed, 2 invalid arguments or settings';
const usageLine = 'Usage: vestibule COMMAND [--json] [--help]';

const listing = (asked: readonly Command[]): string =>
  [
    usageLine,
    ...asked.flatMap(({ name, usage, summary }, at) => [
      ...(name[0] === asked[at - 1]?.name[0] ? [] : ['']),
      `  ${usage}`,
      `      ${summary}`,
    ]),
    '',
    exitCodes,
  ].join('\n');

/** Explains a command; `asked` also has those that begin with its words, such as `outbox retry` for `outbox`. */
const explained = ({ name, usage, summary, example, options }: Command, asked: readonly Command[]): string => {
  const longer = asked.filter((one) => one.name.length > name.length).map((one) => one.name.join(' '));
  const rows = Object.entries<CommandOption>({ ...options, ...commonOptions }).map(([name, { value, help }]) => [
    `  --${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  return [
    `Usage: vestibule ${usage}`,
    `  ${summary}`,
    ...['', 'Options:', inColumns(rows)],
    ...['', 'Example:', `  vestibule ${example}`],
    ...(longer.length === 0 ? [] : ['', `See also: ${longer.join(', ')}`]),
    ...['', exitCodes],
  ].join('\n');
};

/** The error for words that begin no command: what they may begin with, and where to read more. */
function hintFor(named: readonly string[]): string {
  const asked = commandsOf(named[0]);
  const isGroup = asked.length < commands.length;
  const known = asked.map(({ name }) => (isGroup ? name.join(' ') : name[0]));
  return [
    ...(named.length === 0 ? [usageLine] : [`unknown command: ${named.slice(0, 2).join(' ')}`]),
    `Commands: ${[...new Set(known)].join(', ')}`,
    `vestibule ${isGroup ? `${named[0]} ` : ''}--help explains them.`,
  ].join('\n');
}

/** Whether `--json` is among the options; words after `--` are not options. */
const isJsonAsked = (words: readonly string[]): boolean =>
  words.slice(0, words.includes('--') ? words.indexOf('--') : words.length).includes('--json');

/** What a command prints, and its exit code. */
export interface CommandOutput {
  /** 1: the command failed; 2: its arguments or the settings are invalid. */
  readonly code: 0 | 1 | 2;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly readEnvironment: () => Environment;
  /** The operator's working directory. */
  readonly folder: string;
}

/** Runs one command with the configured database. Never rejects: the output describes the error. */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<CommandOutput> {
  try {
    return { err: '', ...(await run(words, surroundings)) };
  } catch (error) {
    return describe(error as Error, isJsonAsked(words));
  }
}

async function run(words: readonly string[], { readEnvironment, folder }: Surroundings) {
  const named = words.filter((word) => !word.startsWith('-'));
  const command = commands.find(({ name }) => startsWith(words[0] === 'help' ? words.slice(1) : words, name));
  if (words.includes('--help') || words.includes('-h') || words[0] === 'help') {
    const asked = command
      ? commands.filter(({ name }) => startsWith(name, command.name))
      : commandsOf(words[0] === 'help' ? named[1] : named[0]);
    const data = { commands: asked.map(({ usage, summary, example }) => ({ usage, summary, example })) };
    const text = command ? explained(command, asked) : listing(asked);
    return { code: 0, out: `${isJsonAsked(words) ? JSON.stringify(data) : text}\n` } as const;
  }
  if (words[0] === '--version') {
    const version = readVersion();
    const text = isJsonAsked(words) ? JSON.stringify(version) : describeVersion(version);
    return { code: 0, out: `${text}\n` } as const;
  }
  if (!command) throw new UsageError(hintFor(named));
  const { values, positionals, tokens } = parseArgs({
    args: words.slice(command.name.length),
    options: { json: commonOptions.json, ...command.options },
    allowPositionals: true,
    tokens: true,
  });
  refuseRepeated(command, tokens);
  const environment = readEnvironment();
  const given = { environment, positionals, options: values, now: Date.now(), folder };
  const { text, data, failed } =
    'runBare' in command
      ? await command.runBare(given)
      : await withStore(environment, (opened) => command.run({ ...given, ...opened }));
  return { code: failed ? 1 : 0, out: `${harmless(values.json ? JSON.stringify(data) : text)}\n` } as const;
}

/** Of two values, parseArgs would keep the last one and say nothing. */
function refuseRepeated({ usage, options = {} }: Command, tokens: readonly { kind: string; name?: string }[]): void {
  const names = tokens.flatMap(({ kind, name }) => (kind === 'option' && name !== undefined ? [name] : []));
  const repeated = names.find((name, at) => names.indexOf(name) !== at && options[name]?.type === 'string');
  if (repeated !== undefined && !options[repeated]?.multiple)
    throw new UsageError(`--${repeated} was given twice\n\nUsage: vestibule ${usage}`);
}

function describe(error: Error & { code?: string }, json: boolean): CommandOutput {
  const expected =
    error instanceof UsageError || error instanceof SettingsError || error.code?.startsWith('ERR_PARSE_ARGS');
  // System errors, such as a missing folder, or a full or read-only disk; and PostgreSQL refuses or ends.
  const isMachines = error.code === 'ERR_SQLITE_ERROR' || isNotReached(error.code ?? '');
  return {
    code: expected ? 2 : 1,
    out: json ? `${JSON.stringify({ error: error.message })}\n` : '',
    err: `${harmless(expected || isMachines ? error.message : (error.stack ?? error.message))}\n`,
  };
}

async function withStore<T>(
  environment: Environment,
  work: (opened: { readonly store: Store; readonly config: Config }) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment);
  const database = { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL };
  await waitForDatabase(database);
  const store = openStore(database, { timeBudget: commandTimeBudget });
  // Commands change accounts, so they also record events for the receivers.
  subscribe(store, readReceivers(config.WEBHOOKS_FILE));
  try {
    return await work({ store, config });
  } finally {
    await store.destroy();
  }
}

/** Control characters, and characters that change the text direction (Unicode Technical Report 36, section 3.7). */
const dangerous = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes text safe for a terminal: escapes dangerous characters as `\\u202e`, which JSON parsers restore. */
const harmless = (text: string): string =>
  text.replaceAll(dangerous, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
