import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { WithParts } from '../access/account-part.ts';
import { textLimit } from '../contract/fields/field-sizes.ts';
import type { OperatorAction } from '../contract/operators.ts';
import { days } from '../contract/units.ts';
import { auditAlone, type Operation, type Operator } from '../operations/operation.ts';
import type { Config } from '../server/settings/config.ts';
import { accountParts } from '../server/wings.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { accountByAddressOrId, accountFormerlyAt } from '../store/accounts/find-accounts.ts';
import { type DatabaseSettings, openStore, type Store } from '../store/database.ts';

/** The output of a command: text for people, data for programs (`--json`). */
export interface CommandResult {
  readonly text: string;
  readonly data: object;
  /** The text on one line, for a command that prints many results, if `text` has several. */
  readonly line?: string;
  /** The command ran, but its result is a failure: exit code 1. */
  readonly failed?: boolean;
}

/** Results that are printed one by one: all of them together could need too much memory. */
export interface CommandResults {
  readonly each: AsyncIterable<CommandResult>;
}

interface Words {
  /** The words of the command, in lower case, and what it takes, such as `promo add CODE`; its options are added. */
  readonly usage: string;
  /** What it takes in words, for the error if their number is another one than in the usage; absent if any may be right. */
  readonly words?: string;
  readonly summary: string;
  /** The words after `vestibule` of a typical call. */
  readonly example: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
}

/** An option as `parseArgs` reads it, with what `--help` prints. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** The name of the value in the usage, such as `URI`. */
  readonly value?: string;
  readonly help: string;
}

/** The operator's environment with an `.env` file. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface CommandInput {
  readonly environment: Environment;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly now: number;
  /** The folder that file names are relative to: the operator's working directory. */
  readonly folder: string;
}

/** The input of a command that receives an open, migrated database. */
type StoreInput = CommandInput & { readonly store: Store; readonly config: Config };

export interface StoreCommand extends Words {
  run(call: StoreInput): Promise<CommandResult>;
}

/** A command that may have many results, such as one for each account that standard input names. */
export interface BulkCommand extends Words {
  /** `input`: the lines of standard input, which is opened only once someone reads them. */
  runBulk(call: StoreInput & { readonly input: AsyncIterable<string> }): Promise<CommandResult | CommandResults>;
}

/**
 * A command for the account that its first word names, or with `WHO|-` in its usage also for each that standard input
 * names, one a line.
 */
export interface AccountCommand extends Words {
  /** Whether a former address also names the account. */
  readonly alsoFormer?: boolean;
  runOn(account: AccountsTable, call: StoreInput): Promise<CommandResult>;
}

/** A command that must work even if settings or the database are broken. */
export interface BareCommand extends Words {
  runBare(call: CommandInput): Promise<CommandResult>;
}

/** A command of `vestibule`. */
export type Command = StoreCommand | BulkCommand | AccountCommand | BareCommand;

/** Invalid arguments; the message shows the correct usage. Exit code 2. */
export class UsageError extends Error {}

/** An option of every command that changes something or exports someone's data. */
export const reasonOption = {
  reason: { type: 'string', value: 'TEXT', help: 'why, for the audit log' },
} as const;

interface OperatorCommandInput {
  readonly store: Store;
  readonly now: number;
  readonly environment: Environment;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The arguments of an operator decision, with the operator at this terminal and the reason from the command line. */
export const operationOf = ({ store, now, environment, options }: OperatorCommandInput): Operation & WithParts => ({
  store,
  parts: accountParts,
  now,
  operator: operatorAt(environment, checkReason({ options })),
});

/** The reason from the command line; throws a `UsageError` if it is empty or too long. */
export function checkReason({ options }: Pick<OperatorCommandInput, 'options'>): string | undefined {
  const reason = options.reason === undefined ? undefined : String(options.reason).trim();
  if (reason === '' || (reason?.length ?? 0) >= textLimit)
    throw new UsageError(`--reason TEXT: 1 to ${textLimit - 1} characters`);
  return reason;
}

/** `sudo` records its caller, and `sshd` the address of its client, in the environment. */
function operatorAt(environment: Environment, reason: string | undefined): Operator {
  const [client] = (environment.SSH_CONNECTION ?? environment.SSH_CLIENT ?? '').split(' ');
  return {
    kind: 'command',
    actor: environment.SUDO_USER || callerBehindRunuser() || userName(),
    origin: client ? `${hostname()} from ${client}` : hostname(),
    reason,
  };
}

/**
 * The user of the first process above this one that belongs to someone else: the wrapper changes to the service user with
 * runuser, which leaves no name in the environment. Undefined if there is none, or the service manager started us.
 */
function callerBehindRunuser(): string | undefined {
  try {
    for (let pid = process.ppid; pid > 1; ) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const uid = Number(/^Uid:\t(\d+)/m.exec(status)?.[1]);
      if (uid !== process.getuid?.()) return nameOfUser(uid);
      pid = Number(/^PPid:\t(\d+)/m.exec(status)?.[1]);
    }
  } catch {
    // Another system than Linux, or processes that this user may not see.
  }
  return undefined;
}

const nameOfUser = (uid: number): string =>
  new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm').exec(readFileSync('/etc/passwd', 'utf8'))?.[1] ?? `uid ${uid}`;

/** A user in a container may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

type AccountWork = (account: AccountsTable) => Promise<CommandResult>;

/** Runs a command on the accounts that its words name. */
export async function runOnAccounts(
  { usage, alsoFormer = false, runOn }: AccountCommand,
  call: StoreInput & { readonly input: AsyncIterable<string> },
): Promise<CommandResult | CommandResults> {
  const [who = ''] = call.positionals;
  const named = { store: call.store, alsoFormer };
  const work = (account: AccountsTable) => runOn(account, call);
  return who === '-' && usage.includes('WHO|-')
    ? { each: eachNamed(call.input, named, work) }
    : workOn(who, named, work);
}

interface Named {
  readonly store: Store;
  readonly alsoFormer: boolean;
}

/** A failed result if there is no such account. */
export async function workOn(who: string, { store, alsoFormer }: Named, work: AccountWork): Promise<CommandResult> {
  const account =
    (await accountByAddressOrId(store, who)) ??
    (alsoFormer && who.includes('@') ? await accountFormerlyAt(store, who) : undefined);
  return account ? work(account) : { text: `${who}: no such account`, data: { found: false }, failed: true };
}

/** One account after another, each on one line. An account whose work fails does not stop the others. */
async function* eachNamed(
  input: AsyncIterable<string>,
  named: Named,
  work: AccountWork,
): AsyncGenerator<CommandResult> {
  for await (const line of input) {
    const who = nameIn(line);
    if (who === '') continue;
    try {
      const result = await workOn(who, named, work);
      yield { ...result, data: { who, ...result.data }, text: result.line ?? result.text };
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const { message } = error as Error;
      yield { text: `${who}: ${message}`, data: { who, error: message }, failed: true };
    }
  }
}

/** The account on a line: its id or address, the first word of a list, or the `id` of a JSON object. */
function nameIn(line: string): string {
  const text = line.trim();
  if (!text.startsWith('{')) return text.split(/\s/, 1)[0] ?? '';
  try {
    return String((JSON.parse(text) as { id?: unknown }).id ?? '') || text;
  } catch {
    return text;
  }
}

const dayOrTime = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** The first and the last millisecond (since the epoch) of a day in UTC, or of a time; undefined if the text is neither. */
export function readPeriod(text: string): { readonly first: number; readonly last: number } | undefined {
  const [whole, day = ''] = dayOrTime.exec(text) ?? [];
  const first = Date.parse(String(whole));
  if (!isDay(day) || Number.isNaN(first)) return undefined;
  return { first, last: whole === day ? first + days(1) - 1 : first };
}

/** `Date.parse` reads February 30 as March 2. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

/** The beginning of a day or a time in an option; undefined without it. Throws a `UsageError`. */
export function readSince(options: Readonly<Record<string, unknown>>, name: string): number | undefined {
  if (options[name] === undefined) return undefined;
  const period = readPeriod(String(options[name]));
  if (!period) throw new UsageError(`--${name} DATE: a date such as 2026-11-30, or a time such as 2026-11-30T08:00Z`);
  return period.first;
}

interface Range<Usual> {
  readonly to: number;
  /** Without the option. */
  readonly usual: Usual;
}

/** A whole number from 1 in an option. Throws a `UsageError`. */
export function readNumber<Usual>(
  options: Readonly<Record<string, unknown>>,
  name: string,
  { to, usual }: Range<Usual>,
): number | Usual {
  if (options[name] === undefined) return usual;
  const number = /^\d+$/.test(String(options[name])) ? Number(options[name]) : 0;
  if (number < 1 || number > to) throw new UsageError(`--${name} N: a whole number from 1 to ${to}`);
  return number;
}

/** Escapes line breaks and tabs, so that text of others cannot look like another line or column. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\n\t]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Aligns cells in columns, each as wide as its widest cell. */
export function inColumns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(onOneLine));
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Throws unless this user can read the file. Refuses a named pipe: opening it would wait for its other end. */
export function refuseUnreadable(file: string): void {
  try {
    const isFile = statSync(file).isFile();
    if (!isFile) throw new UsageError(`${file} is not a file`);
    accessSync(file, constants.R_OK);
  } catch (cause) {
    throw cause instanceof UsageError ? cause : new UsageError(`${file} ${whyNot(cause as NodeJS.ErrnoException)}`);
  }
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  // The usual `vestibule` command runs as the service user, who cannot enter the home folder of root.
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: the user who runs this command lacks permission';
  return `cannot be read: ${message}`;
}

interface Maintenance {
  readonly now: number;
  readonly environment: Environment;
  readonly options: Readonly<Record<string, unknown>>;
  readonly action: OperatorAction & `database_${string}`;
  /** What was written, or from where. */
  readonly subject: string;
}

/**
 * Adds an entry to the audit log of a database, unless its tables are older than the log. Returns an addition to the
 * output of the command if that fails, as on a full disk: a backup is complete without its entry.
 */
export async function recordMaintenance(
  database: DatabaseSettings,
  { action, subject, ...command }: Maintenance,
): Promise<string> {
  await using store = openStore(database);
  try {
    if (await hasAuditLog(store)) await auditAlone(operationOf({ store, ...command }), { action, subject });
    return '';
  } catch (error) {
    return `; not in the audit log: ${(error as Error).message}`;
  }
}

async function hasAuditLog(store: Store): Promise<boolean> {
  const tables = await store.introspection.getTables();
  return tables.some(({ name }) => name === 'audit_log');
}
