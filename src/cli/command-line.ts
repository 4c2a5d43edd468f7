import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { SettingsError } from '../contract/settings.ts';
import { minutes } from '../contract/units.ts';
import { refuseInterruptedRestore } from '../server/data-folder.ts';
import { type Config, readConfig } from '../server/settings/config.ts';
import { describeVersion, readVersion } from '../server/version.ts';
import { isNotReached, waitForDatabase } from '../server/wait-for-database.ts';
import { timeOf } from '../store/clock.ts';
import { type DatabaseSettings, openStore, type Store } from '../store/database.ts';
import { databaseFile } from '../store/sqlite/files.ts';
import { subscribe } from '../store/webhooks/record-event.ts';
import { readReceivers } from '../webhooks/receivers.ts';
import { accountCommands } from './accounts.ts';
import { accountLists } from './accounts-list.ts';
import { auditCommands } from './audit.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { callsList } from './calls.ts';
import { clientCommands } from './clients.ts';
import {
  type Command,
  type CommandOption,
  type CommandResult,
  type CommandResults,
  type Environment,
  inColumns,
  runOnAccounts,
  UsageError,
} from './command.ts';
import { doctor } from './doctor/doctor.ts';
import { groupCommands } from './groups.ts';
import { importCommand } from './import/import.ts';
import { keyCommands } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { operatorCommands } from './operators.ts';
import { outboxCommands } from './outbox.ts';
import { prepare } from './prepare.ts';
import { promoAdd } from './promo-add.ts';
import { webhookCommands } from './webhooks.ts';

/** A command with the words that name it, such as `promo add`: those at the beginning of its usage in lower case. */
type NamedCommand = Command & { readonly name: readonly string[] };

const commands: readonly NamedCommand[] = [
  ...[...accountCommands, ...accountLists],
  ...[importCommand, promoAdd, ...clientCommands, ...groupCommands],
  ...[...outboxCommands, callsList, ...webhookCommands, ...operatorCommands, ...auditCommands],
  ...[backup, restore, ...keyCommands, migrateCommand, prepare, doctor],
].map((command: Command) => ({
  ...command,
  usage: usageOf(command),
  name: /^[a-z-]+(?: [a-z][a-z-]*)*/.exec(command.usage)?.[0].split(' ') ?? [],
}));

/** The usage with the options that it does not name. */
function usageOf({ usage, options = {} }: Command): string {
  const rest = Object.entries(options).filter(([name]) => !new RegExp(`--${name}(?![\\w-])`).test(usage));
  const added = rest.map(
    ([name, { value, multiple }]) => `[--${name}${value === undefined ? '' : ` ${value}`}${multiple ? '…' : ''}]`,
  );
  return [usage, ...added].join(' ');
}

/** Longer than the limit for requests: some commands read every row. */
const commandTimeBudget = minutes(10);

const startsWith = (words: readonly string[], beginning: readonly string[]): boolean =>
  beginning.every((word, at) => words[at] === word);

/** The commands that start with a word, such as `accounts`, or all commands. */
function commandsOf(word: string | undefined): readonly NamedCommand[] {
  const asked = commands.filter(({ name }) => name[0] === word);
  return asked.length > 0 ? asked : commands;
}

const commonOptions = {
  json: { type: 'boolean', help: 'print the result as JSON' },
  help: { type: 'boolean', help: 'explain a command, or a group such as accounts' },
} as const satisfies Record<string, CommandOption>;

const exitCodes = 'Exit codes: 0 success, 1 the command failed, 2 invalid arguments or settings';
const usageLine = 'Usage: vestibule COMMAND [--json] [--help]';

const listing = (asked: readonly NamedCommand[]): string =>
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
const explained = (
  { name, usage, summary, example, options }: NamedCommand,
  asked: readonly NamedCommand[],
): string => {
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
  readonly input?: AsyncIterable<string>;
  /** Prints a part of the output; false once nobody reads it. Without, the whole output is returned. */
  readonly print?: (text: string) => Promise<boolean>;
}

const noLines: AsyncIterable<string> = Readable.from([]);

/** Runs one command with the configured database. Never rejects: the output describes the error. */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<CommandOutput> {
  try {
    return { err: '', ...(await run(words, surroundings)) };
  } catch (error) {
    return describe(error as Error, isJsonAsked(words));
  }
}

async function run(words: readonly string[], { readEnvironment, folder, input = noLines, print }: Surroundings) {
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
  refuseWords(command, positionals);
  const environment = readEnvironment();
  const given = { environment, positionals, options: values, now: Date.now(), folder };
  const printed: string[] = [];
  const printer = print ?? (async (text) => printed.push(text) > 0);
  const write = ({ text, data }: CommandResult) => printer(`${harmless(values.json ? JSON.stringify(data) : text)}\n`);
  const failed =
    'runBare' in command
      ? await printAll(await command.runBare(given), write)
      : await withStore(environment, async (opened) => {
          const call = { ...given, ...opened, now: await timeOf(opened.store) };
          if ('run' in command) return printAll(await command.run(call), write);
          const bulk = { ...call, input };
          return printAll(await ('runOn' in command ? runOnAccounts(command, bulk) : command.runBulk(bulk)), write);
        });
  return { code: failed ? 1 : 0, out: printed.join('') } as const;
}

/** Prints the results of a command; true if one of them is a failure. */
async function printAll(
  result: CommandResult | CommandResults,
  write: (one: CommandResult) => Promise<boolean>,
): Promise<boolean> {
  if (!('each' in result)) {
    await write(result);
    return result.failed === true;
  }
  let isFailed = false;
  for await (const one of result.each) {
    isFailed ||= one.failed === true;
    if (!(await write(one))) break;
  }
  return isFailed;
}

/** Refuses another number of words; one after a command that takes none is a mistyped option, or a mistyped command. */
function refuseWords(command: NamedCommand, words: readonly string[]): void {
  const { name, usage, words: taken = 'runOn' in command ? 'one address or account id' : undefined } = command;
  const [withWords = ''] = usage.split(/ \[?--/, 1);
  const isNumberWrong = words.includes('') || words.length !== withWords.split(' ').length - name.length;
  if (taken !== undefined && isNumberWrong) throw new UsageError(`${withWords}: ${taken}`);
  if (words.length === 0 || withWords !== name.join(' ')) return;
  const more = `vestibule ${name[0]} --help explains more.`;
  throw new UsageError(`unknown: ${words.join(' ')}\n\nUsage: vestibule ${usage}\n${more}`);
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

/** In a folder that was mistyped, an empty new database would answer that there is nothing. */
function refuseNewFile({ dataDir, databaseUrl }: DatabaseSettings): void {
  if (databaseUrl) return;
  refuseInterruptedRestore(dataDir);
  if (!existsSync(databaseFile(dataDir)))
    throw new SettingsError(
      `DATA_DIR: ${resolve(dataDir)} has no database. If the folder is right, the first start of the service or vestibule migrate creates one`,
    );
}

async function withStore<T>(
  environment: Environment,
  work: (opened: { readonly store: Store; readonly config: Config }) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment);
  const database = { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL };
  refuseNewFile(database);
  await waitForDatabase(database);
  await using store = openStore(database, { timeBudget: commandTimeBudget });
  // Commands change accounts, so they also record events for the receivers.
  subscribe(store, readReceivers(config.WEBHOOKS_FILE));
  return await work({ store, config });
}

/** Control characters, and characters that change the text direction (Unicode Technical Report 36, section 3.7). */
const dangerous = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes text safe for a terminal: escapes dangerous characters as `\\u202e`, which JSON parsers restore. */
const harmless = (text: string): string =>
  text.replaceAll(dangerous, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
