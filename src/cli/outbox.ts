import { days, iso, seconds } from '../contract/units.ts';
import { allowAddressAgain, retryEmails } from '../operations/deliveries.ts';
import { masked } from '../operations/operation.ts';
import { readable } from '../server/doctor/finding.ts';
import type { Store } from '../store/database.ts';
import { type ListedEmail, listEmails } from '../store/emails/outbox-review.ts';
import { listSuppressed } from '../store/emails/suppression-list.ts';
import {
  type CommandResult,
  inColumns,
  operationOf,
  reasonOption,
  type StoreCommand,
  UsageError,
  workOn,
} from './command.ts';

export const outboxList: StoreCommand = {
  usage: 'outbox',
  summary:
    'show emails that wait, that were given up, and that were sent in the past day; --account shows all emails of one account that are still stored (30 days)',
  example: 'outbox --account anna@example.com',
  options: {
    account: { type: 'string', value: 'WHO', help: 'all stored emails of one account, by its address or id' },
  },
  async run({ store, now, options }) {
    if (options.account === undefined)
      return list(store, { now, sentSince: now - days(1), title: 'Sent in the past day' });
    return workOn(String(options.account), { store, alsoFormer: true }, ({ id }) =>
      list(store, { now, sentSince: 0, title: 'Sent', accountId: id }),
    );
  },
};

interface Listing {
  readonly now: number;
  readonly sentSince: number;
  /** The heading of sent emails. */
  readonly title: string;
  readonly accountId?: string;
}

async function list(store: Store, { now, title, ...query }: Listing): Promise<CommandResult> {
  const emails = (await listEmails(store, query)).map(asEntry(now));
  const of = (state: Entry['state']) => emails.filter((email) => email.state === state);
  const groups = { given_up: of('given_up'), queued: of('queued'), sent: of('sent') };
  return {
    text: [
      section('Given up (retry with: outbox retry ID, or --all)', groups.given_up),
      section('Queued', groups.queued),
      section(title, groups.sent),
    ].join('\n\n'),
    data: groups,
  };
}

export const outboxRetry: StoreCommand = {
  usage: 'outbox retry ID|--all',
  summary: 'retry emails that were given up or that wait for their next attempt',
  example: 'outbox retry --all --reason "mail server is back"',
  options: { all: { type: 'boolean', help: 'every waiting or given-up email instead of one' }, ...reasonOption },
  async run(given) {
    const { store, now, positionals, options } = given;
    const all = options.all === true;
    if (all === positionals.length > 0) throw new UsageError('outbox retry: one or more IDs, or --all');
    const retried = await retryEmails(operationOf(given), all ? 'all' : positionals);
    const left = all ? await idsGivenUp(store, now) : positionals.filter((id) => !retried.includes(id));
    return {
      text: [saying(retried), ...left.map(whyNot)].join('\n'),
      data: { retried, left },
      failed: !all && left.length > 0,
    };
  },
};

const idsGivenUp = async (store: Store, now: number): Promise<string[]> =>
  (await listEmails(store, { sentSince: now })).filter(({ gave_up_at }) => gave_up_at !== null).map(({ id }) => id);

const saying = (retried: readonly string[]): string =>
  retried.length === 0
    ? 'There are no emails to retry.'
    : `Queued for sending now; emails that were given up get another day:\n${retried.join('\n')}`;

const whyNot = (id: string): string =>
  `${id}: not retried: it was not given up, or its link is no longer valid and the recipient has to request a new one`;

interface Entry {
  readonly id: string;
  readonly state: 'queued' | 'sent' | 'given_up';
  readonly notice: string;
  /** Masked. */
  readonly to: string;
  /** Seconds since it was queued or retried. */
  readonly age: number;
  readonly attempts: number;
  readonly last_error: string | null;
}

const asEntry =
  (now: number) =>
  ({ id, notice, recipient, created_at, attempts, sent_at, gave_up_at, last_error }: ListedEmail): Entry => ({
    id,
    state: stateOf({ sent_at, gave_up_at }),
    notice,
    to: masked(recipient),
    age: Math.max(0, Math.round((now - created_at) / seconds(1))),
    attempts,
    last_error: last_error?.replaceAll(recipient, masked(recipient)) ?? null,
  });

function stateOf({ sent_at, gave_up_at }: Pick<ListedEmail, 'sent_at' | 'gave_up_at'>): Entry['state'] {
  if (sent_at !== null) return 'sent';
  return gave_up_at === null ? 'queued' : 'given_up';
}

function section(title: string, entries: readonly Entry[]): string {
  const rows = entries.map(({ id, notice, to, age, attempts }) => [id, notice, to, readable(age), `${attempts}×`]);
  const columns = inColumns(rows).split('\n');
  const lines = entries.flatMap(({ last_error }, at) => [
    `  ${columns[at]}`,
    ...(last_error === null ? [] : [`    ${last_error.replace(/\s+/g, ' ')}`]),
  ]);
  return [`${title}: ${entries.length}`, ...lines].join('\n');
}

const suppressedList: StoreCommand = {
  usage: 'suppressed',
  summary: 'list suppressed addresses, which get no more emails because one bounced or was reported as spam',
  example: 'suppressed',
  async run({ store }) {
    const list = (await listSuppressed(store)).map(({ email, account_id, reason, told_by, detail, at }) => ({
      account: account_id,
      address: masked(email),
      since: iso(at),
      reason,
      told_by,
      detail,
    }));
    const rows = list.map(({ account, address, since, reason, told_by, detail }) => [
      account ?? '-',
      address,
      since,
      reason,
      told_by,
      detail.replace(/\s+/g, ' '),
    ]);
    return { text: inColumns(rows) || 'No addresses are suppressed.', data: { suppressed: list } };
  },
};

const suppressedRemove: StoreCommand = {
  usage: 'suppressed remove WHO',
  summary: 'send emails again to an address, or to the address of an account id',
  words: 'one address or account id',
  example: 'suppressed remove anna@example.com --reason "mailbox works again"',
  options: reasonOption,
  async run(given) {
    const [who = ''] = given.positionals;
    const removed = await allowAddressAgain(operationOf(given), who);
    return {
      text: removed ? `${who}: no longer suppressed` : `${who}: not suppressed`,
      data: { removed },
      failed: !removed,
    };
  },
};

export const outboxCommands = [outboxRetry, outboxList, suppressedRemove, suppressedList];
