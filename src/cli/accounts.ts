import { textLimit } from '../contract/fields/field-sizes.ts';
import { iso } from '../contract/units.ts';
import { describeAccount } from '../operations/describe-account.ts';
import { goingOn, type NextStep } from '../operations/going-on.ts';
import { recordSearch, recordView } from '../operations/people.ts';
import { describeEnds } from '../operations/session-ends.ts';
import { accountParts } from '../server/wings.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { readAccountData } from '../store/accounts/delete-account.ts';
import { accountByAddressOrId, accountFormerlyAt, findAccounts } from '../store/accounts/find-accounts.ts';
import { deviceName } from '../store/browser-names.ts';
import type { Store } from '../store/database.ts';
import {
  type BulkCommand,
  type CommandResult,
  type CommandResults,
  inColumns,
  operationOf,
  reasonOption,
  type StoreCommand,
  UsageError,
} from './command.ts';

interface AccountCommandInput {
  readonly store: Store;
  readonly command: string;
  readonly positionals: readonly string[];
  /** Whether a former address also identifies the account. */
  readonly alsoFormer?: boolean;
}

type AccountWork = (account: AccountsTable) => Promise<CommandResult>;

/** Runs work on the account that the command line identifies; a failed result if there is no such account. */
export async function withAccount(given: AccountCommandInput, work: AccountWork): Promise<CommandResult> {
  const [who, ...more] = given.positionals;
  if (!who || more.length > 0) throw new UsageError(`${given.command} WHO: one address or account id`);
  return workOn(who, given, work);
}

/** The same, and for `-` on each account that standard input names, one a line. */
export async function withAccounts(
  given: AccountCommandInput & { readonly input: AsyncIterable<string> },
  work: AccountWork,
): Promise<CommandResult | CommandResults> {
  const [who, ...more] = given.positionals;
  return who === '-' && more.length === 0 ? { each: eachNamed(given, work) } : withAccount(given, work);
}

async function workOn(
  who: string,
  { store, alsoFormer = false }: AccountCommandInput,
  work: AccountWork,
): Promise<CommandResult> {
  const account =
    (await accountByAddressOrId(store, who)) ??
    (alsoFormer && who.includes('@') ? await accountFormerlyAt(store, who) : undefined);
  return account ? work(account) : { text: `${who}: no such account`, data: { found: false }, failed: true };
}

/** One account after another, each on one line. An account whose work fails does not stop the others. */
async function* eachNamed(
  given: AccountCommandInput & { readonly input: AsyncIterable<string> },
  work: AccountWork,
): AsyncGenerator<CommandResult> {
  for await (const line of given.input) {
    const who = nameIn(line);
    if (who === '') continue;
    try {
      const result = await workOn(who, given, work);
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

const maxShown = 50;

const accountsFind: StoreCommand = {
  usage: 'accounts find TEXT [--reason TEXT]',
  summary:
    'list accounts by the beginning of an address, a domain, words of a name, organization or device, or of a phone number, or by at least its last four digits',
  example: 'accounts find example.com',
  options: reasonOption,
  async run(given) {
    const { store, positionals } = given;
    const text = positionals.join(' ').trim();
    if (text === '' || text.length >= textLimit)
      throw new UsageError('accounts find TEXT: an address, a name, an organization, a device or a phone number');
    const found = await findAccounts(store, {
      ...{ text, filter: {}, wholeContacts: false, limit: maxShown + 1 },
      origin: new URL(given.config.PUBLIC_URL).origin,
    });
    await recordSearch(operationOf(given), found.accounts);
    const accounts = found.accounts.slice(0, maxShown).map(({ id, email, name, phone, created_at, locked_at }) => ({
      id,
      email,
      name,
      phone,
      created_at: iso(created_at),
      locked: locked_at !== null,
    }));
    const rows = accounts.map(({ id, email, name, phone, locked }) => [id, email, name, phone, locked ? 'locked' : '']);
    const more = found.accounts.length > maxShown;
    return {
      text: accounts.length === 0 ? `${text}: no such account` : `${inColumns(rows)}${more ? '\nand more' : ''}`,
      data: { accounts, more },
      failed: accounts.length === 0,
    };
  },
};

export const accountsShow: BulkCommand = {
  usage: 'accounts show WHO|- [--reason TEXT]',
  summary:
    'show an account by its address or id: locks, pending changes, second step, passkeys, groups, applications, consents, computers, sessions and recent activity',
  example: 'accounts show anna@example.com',
  options: reasonOption,
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts show' }, async (account) => {
      const { store, now } = given;
      await recordView(operationOf(given), { account, action: 'account_viewed' });
      const data = await describeAccount({ store, parts: accountParts, account, now });
      const facts = Object.entries<unknown>(data).filter(
        ([, value]) => !Array.isArray(value) && value !== null && value !== '',
      );
      const lists = Object.entries<unknown>(data).filter((entry): entry is [string, Listed] => Array.isArray(entry[1]));
      return {
        text: [
          inColumns(facts.map(([name, value]) => [name.replaceAll('_', ' '), String(value)])),
          ...lists.map(([name, items]) => section(name, items)),
        ].join('\n'),
        data,
      };
    }),
};

type Listed = readonly (string | Readonly<Record<string, unknown>>)[];

/** A list under its name, one item a line; an item that was never used says so. */
function section(name: string, items: Listed): string {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${items.length}`;
  const rows = items.map((item) => (typeof item === 'string' ? [item] : Object.entries(item).map(cellOf)));
  return [
    title,
    ...(rows.length > 0 ? [inColumns(rows.map(([first = '', ...rest]) => [`  ${first}`, ...rest]))] : []),
  ].join('\n');
}

const cellOf = ([name, value]: [string, unknown]): string => {
  if (name === 'last_used_at') return value === null ? 'never used' : `used ${value}`;
  if (typeof value === 'boolean') return value ? name : `not ${name}`;
  return Array.isArray(value) ? value.join(' ') : String(value ?? '');
};

const accountsWhy: BulkCommand = {
  usage: 'accounts why WHO|- [--reason TEXT]',
  summary:
    'say what is going on with an account: whether its owner can sign in now, locks, pending changes, emails, limits, and why and when each session ended; WHO may also be a former address',
  example: 'accounts why anna@example.com',
  options: reasonOption,
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts why', alsoFormer: true }, async (account) => {
      const { store, config, now } = given;
      const { id, email } = account;
      await recordView(operationOf(given), { account, action: 'account_viewed' });
      const going = await goingOn({ store, config, account, now });
      const { sessions, activity } = await readAccountData(store, id);
      const ended = describeEnds({ sessions, activity, now });
      const live = sessions.length - ended.length;
      const changes = activity
        .filter(({ kind }) => kind.startsWith('email_change'))
        .map(({ at, kind, ip, user_agent }) => ({ at: iso(at), kind, ip, device: deviceName(user_agent) }));
      const lines = ended.flatMap(({ ended_at, device, ip, why, by }) => [
        `${ended_at}  ${device} (${ip}): ${why}`,
        ...by.map((line) => `    ${line.at}  ${line.kind}, ${line.device} (${line.ip || 'an operator'})`),
      ]);
      return {
        text: [
          ...going.flatMap(({ text, action }) => [
            text.replace(/\s+/g, ' '),
            ...(action ? [`    ${commandOf[action](id)}`] : []),
          ]),
          `${email}: ${live} live sessions, ${ended.length} ended`,
          ...changes.map(({ at, kind, ip, device }) => `${at}  ${kind}, ${device} (${ip || 'an operator'})`),
          ...lines,
        ].join('\n'),
        data: { id, going_on: going, live, ended, address_changes: changes },
      };
    }),
};

const commandOf: Readonly<Record<NextStep, (id: string) => string>> = {
  unlock: (id) => `vestibule accounts unlock ${id}`,
  allow_address: (id) => `vestibule suppressed remove ${id}`,
  retry_emails: (id) => `vestibule outbox --account ${id}, then vestibule outbox retry ID`,
  end_sessions: (id) => `vestibule accounts end-sessions ${id}`,
  remove_second_step: (id) => `vestibule accounts second-step ${id} --remove --now --reason TEXT`,
};

export const accountCommands = [accountsFind, accountsShow, accountsWhy];
