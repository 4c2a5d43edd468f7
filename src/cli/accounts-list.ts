import { type AccountFilter, cursorAfter, listAccounts } from '../operations/list-accounts.ts';
import { registrationFunnel } from '../operations/statistics.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import { registrationDaysKept } from '../store/accounts/registration-days.ts';
import type { Store } from '../store/database.ts';
import {
  type BulkCommand,
  type CommandResult,
  inColumns,
  readNumber,
  readSince,
  type StoreCommand,
  UsageError,
} from './command.ts';

const yes = (help: string) => ({ type: 'boolean', help }) as const;
const text = (value: string, help: string) => ({ type: 'string', value, help }) as const;

const accountsList: BulkCommand = {
  usage: 'accounts list [--second-step|--no-second-step] [--passkey|--no-passkey] [--proven|--unproven]',
  summary:
    'print the accounts for which all filters hold as JSON Lines, the newest first; commands with WHO read such lines with - from standard input',
  example: 'accounts list --domain example.com --no-second-step',
  options: {
    domain: text('DOMAIN', 'with an address of this domain'),
    group: text('GROUP', 'in this group'),
    application: text('ID', 'whose owners have used this application'),
    since: text('DATE', 'created on this day or later'),
    before: text('DATE', 'created before this day'),
    'idle-since': text('DATE', 'without a session that was used on this day or later'),
    'second-step': yes('with a second step'),
    'no-second-step': yes('without one'),
    passkey: yes('with a passkey'),
    'no-passkey': yes('without one'),
    proven: yes('whose address is proven'),
    unproven: yes('whose address is not'),
    locked: yes('that an operator has locked'),
    leaving: yes('whose owners have planned their deletion'),
    returned: yes('to whose address no email is sent, because one came back'),
    'removal-planned': yes('whose second step is about to be removed'),
    most: text('N', 'at most this many'),
    after: text('WHO', 'only those after this account in the same list'),
  },
  async runBulk({ store, options }) {
    const filter = filterOf(options);
    const most = options.most === undefined ? Number.POSITIVE_INFINITY : Number(options.most);
    if (!(most >= 1)) throw new UsageError('--most N: 1 or more');
    return { each: eachAccount(store, { filter, most, cursor: await cursorOf(store, options.after) }) };
  },
};

function filterOf(options: Readonly<Record<string, unknown>>): AccountFilter {
  const named = (name: string) => (options[name] === undefined ? undefined : String(options[name]));
  const either = (name: string, opposite: string) => {
    if (options[name] && options[opposite]) throw new UsageError(`--${name} and --${opposite} exclude each other`);
    return options[name] || options[opposite] ? options[name] === true : undefined;
  };
  const only = (name: string) => (options[name] === true ? true : undefined);
  return {
    domain: named('domain'),
    group: named('group'),
    client: named('application'),
    since: readSince(options, 'since'),
    before: readSince(options, 'before'),
    idleSince: readSince(options, 'idle-since'),
    secondStep: either('second-step', 'no-second-step'),
    passkey: either('passkey', 'no-passkey'),
    proven: either('proven', 'unproven'),
    locked: only('locked'),
    leaving: only('leaving'),
    returned: only('returned'),
    removal: only('removal-planned'),
  };
}

async function cursorOf(store: Store, after: unknown): Promise<string | undefined> {
  if (after === undefined) return undefined;
  const account = await accountByAddressOrId(store, String(after));
  if (!account) throw new UsageError(`--after WHO: ${after}: no such account`);
  return cursorAfter(account);
}

/** Few enough for memory, and enough that a list of all accounts is not mostly statements. */
const pageSize = 500;

interface Listing {
  readonly filter: AccountFilter;
  readonly most: number;
  readonly cursor: string | undefined;
}

async function* eachAccount(store: Store, { filter, most, cursor: first }: Listing): AsyncGenerator<CommandResult> {
  let [cursor, left] = [first, most];
  do {
    const page = await listAccounts(store, { filter, cursor, limit: Math.min(left, pageSize) });
    for (const item of page.items) yield { text: JSON.stringify(item), data: item };
    cursor = page.next;
    left -= page.items.length;
  } while (cursor !== undefined && left > 0);
}

const usualDays = 30;

const accountsFunnel: StoreCommand = {
  usage: 'accounts funnel',
  summary:
    'show how many people began to register and where they stopped: at the call, its confirmation, the form or the proof of the address',
  example: 'accounts funnel --days 7',
  options: { days: text('N', `how many days back, 1 to ${registrationDaysKept}; ${usualDays} if absent`) },
  async run({ store, now, options }) {
    const count = readNumber(options, 'days', { to: registrationDaysKept, usual: usualDays });
    const funnel = await registrationFunnel(store, { count, now });
    const { stopped, together } = funnel;
    const cells = ({ asked, called, confirmed, used, registered, proven }: typeof together) =>
      [asked, called, confirmed, used, registered, proven].map(String);
    return {
      text: [
        inColumns([
          ['day (UTC)', 'asked for a call', 'called', 'confirmed', 'used', 'registered', 'address proven'],
          ...funnel.days.map((day) => [day.day, ...cells(day)]),
          ['together', ...cells(together)],
        ]),
        '',
        `Numbers that could not be called: ${stopped.before_the_call}`,
        `Numbers that were called, but not confirmed: ${stopped.before_the_confirmation}`,
        `Confirmed numbers that no account uses: ${stopped.before_the_account}`,
        `Accounts whose address is not proven: ${stopped.before_the_proof_of_the_address}`,
      ].join('\n'),
      data: funnel,
    };
  },
};

export const accountLists = [accountsList, accountsFunnel];
