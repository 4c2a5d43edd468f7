import { eventTypes, isReceiverUrl, maxReceivers } from '../contract/webhook-events.ts';
import {
  addReceiver,
  addReceiverSecret,
  changeEvents,
  deliveriesPage,
  describeReceivers,
  dropOlderReceiverSecret,
  enableReceiver,
  nameOf,
  removeReceiver,
  retryWebhooks,
  testReceiver,
} from '../operations/webhooks.ts';
import type { KeyEncryption } from '../security/macs.ts';
import { openKeys, openSecrets } from '../server/keys/stored-keys.ts';
import type { Config } from '../server/settings/config.ts';
import type { Store } from '../store/database.ts';
import { type Receiver, readAllReceivers, readReceivers } from '../webhooks/receivers.ts';
import { type CommandResult, operationOf, reasonOption, type StoreCommand, UsageError } from './command.ts';

interface Opened {
  readonly store: Store;
  readonly config: Config;
  readonly now: number;
}

/** Seals what every node can open. Throws a `SettingsError` if SECRET_KEY is another one. */
async function secretsOf({ store, config, now }: Opened): Promise<KeyEncryption> {
  const secrets = openSecrets(config);
  await openKeys(store, { config, now, secrets });
  return secrets;
}

/** The receivers in WEBHOOKS_FILE, and those that operators added. */
const receiversOf = ({ store, config }: Opened): Promise<readonly Receiver[]> =>
  readAllReceivers({ store, secrets: openSecrets(config), fromFile: readReceivers(config.WEBHOOKS_FILE) });

/** The receiver whose id is the only word. Throws a `UsageError` if there is none. */
async function receiverIn(given: Opened & { readonly positionals: readonly string[] }) {
  const [id] = given.positionals;
  const receiver = (await receiversOf(given)).find((one) => one.id === id);
  if (!receiver) throw new UsageError(`there is no receiver ${id}; vestibule webhooks lists them`);
  return receiver;
}

const oneReceiver = 'one id, as in webhooks list';

export const webhooksList: StoreCommand = {
  usage: 'webhooks [list]',
  summary: 'show the receivers, their events, and which are disabled',
  example: 'webhooks list',
  async run(given) {
    const { store, positionals } = given;
    if (positionals.length > 1 || (positionals[0] ?? 'list') !== 'list')
      throw new UsageError('webhooks [list], or vestibule webhooks --help for the other commands');
    const receivers = await describeReceivers(store, await receiversOf(given));
    const lines = receivers.map(({ id, receiver, events, secrets, from_file, disabled_at, doubt }) =>
      [
        id,
        receiver,
        disabled_at
          ? `disabled since ${disabled_at} (${doubt ? `from ${doubt.name ?? doubt.by}, who lost access or the role` : '410 Gone'})`
          : 'active',
        ...(secrets > 1 ? [`${secrets} secrets`] : []),
        ...(from_file ? ['WEBHOOKS_FILE'] : []),
        events.join(' '),
      ].join('  '),
    );
    return { text: lines.join('\n') || 'There are no receivers.', data: { receivers } };
  },
};

/** A new secret, which is printed once. */
const printed = ({ id, secret }: { readonly id: string; readonly secret: string }): CommandResult => ({
  text: `receiver  ${id}\nsecret    ${secret}\nThe secret is not shown again.`,
  data: { id, secret },
});

const failed = (id: string, error: string): CommandResult => ({
  text: `${id}: ${error}`,
  data: { id, error },
  failed: true,
});

const fromFile = 'is from WEBHOOKS_FILE; change it there, and send SIGHUP';

const eventOptions = {
  events: { type: 'string', value: 'A,B', help: `types of events, or all: ${eventTypes.join(', ')}` },
  ...reasonOption,
} as const;

const webhooksAdd: StoreCommand = {
  usage: 'webhooks add URL --events A,B|all',
  summary: 'add a receiver of events, and print its secret once',
  example: 'webhooks add https://crm.example.com/hooks --events account.created,account.deleted',
  options: eventOptions,
  async run(given) {
    const [url = '', ...more] = given.positionals;
    if (more.length > 0 || !isReceiverUrl(url))
      throw new UsageError(
        'webhooks add URL --events A,B: an https:// URL, or http:// of this machine, without a user name and without a #',
      );
    const events = eventsIn(String(given.options.events ?? ''));
    const [secrets, receivers] = [await secretsOf(given), await receiversOf(given)];
    const added = await addReceiver(operationOf(given), { url, events, receivers, secrets });
    if (added.state === 'added') return printed(added);
    return failed(url, added.state === 'full' ? `there are ${maxReceivers} receivers already` : 'exists already');
  },
};

function eventsIn(list: string) {
  if (list === 'all') return eventTypes;
  const names = list.split(',').map((one) => one.trim());
  const events = eventTypes.filter((type) => names.includes(type));
  if (events.length === 0 || !names.every((name) => (events as readonly string[]).includes(name)))
    throw new UsageError(`--events A,B: all, or some of ${eventTypes.join(', ')}`);
  return events;
}

const webhooksChange: StoreCommand = {
  usage: 'webhooks change RECEIVER --events A,B|all',
  summary: 'change which events a receiver gets from now on',
  words: oneReceiver,
  example: 'webhooks change 3f2a9c --events account.deleted',
  options: eventOptions,
  async run(given) {
    const receiver = await receiverIn(given);
    const { id, isFromFile } = receiver;
    if (isFromFile) return failed(id, fromFile);
    const events = eventsIn(String(given.options.events ?? ''));
    return (await changeEvents(operationOf(given), { receiver, events }))
      ? { text: `${id}: gets ${events.join(' ')}`, data: { id, events } }
      : failed(id, 'is gone');
  },
};

const webhooksSecret: StoreCommand = {
  usage: 'webhooks secret RECEIVER',
  summary: 'add a second secret, which signs beside the first and is printed once; --drop ends the older one',
  words: oneReceiver,
  example: 'webhooks secret 3f2a9c --drop',
  options: { drop: { type: 'boolean', help: 'end the older secret' }, ...reasonOption },
  async run(given) {
    const { id, isFromFile } = await receiverIn(given);
    if (isFromFile) return failed(id, fromFile);
    const [operation, secrets] = [operationOf(given), await secretsOf(given)];
    if (given.options.drop === true)
      return (await dropOlderReceiverSecret(operation, { id, secrets }))
        ? { text: `${id}: the older secret no longer signs`, data: { id, dropped: true } }
        : failed(id, 'has only one secret');
    const added = await addReceiverSecret(operation, { id, secrets });
    if (added.state === 'added') return printed({ id, secret: added.secret });
    return failed(id, added.state === 'full' ? 'has two secrets already; --drop ends the older one' : 'is gone');
  },
};

const webhooksRemove: StoreCommand = {
  usage: 'webhooks remove RECEIVER',
  summary: 'remove a receiver, with the webhooks that wait for it',
  words: oneReceiver,
  example: 'webhooks remove 3f2a9c',
  options: reasonOption,
  async run(given) {
    const { id, isFromFile } = await receiverIn(given);
    if (isFromFile) return failed(id, fromFile);
    const removed = await removeReceiver(operationOf(given), { id, secrets: openSecrets(given.config) });
    return removed ? { text: `${id}: removed`, data: { id, removed } } : failed(id, 'is gone');
  },
};

const webhooksTest: StoreCommand = {
  usage: 'webhooks test RECEIVER',
  summary: 'send the event webhook.test to a receiver now, once',
  words: oneReceiver,
  example: 'webhooks test 3f2a9c',
  options: reasonOption,
  async run(given) {
    const receiver = await receiverIn(given);
    const error = await testReceiver(operationOf(given), receiver);
    if (error !== undefined) return failed(receiver.id, error);
    return { text: `${nameOf(receiver)} accepted it.`, data: { id: receiver.id, delivered: true } };
  },
};

const maxListed = 100;

export const webhooksDeliveries: StoreCommand = {
  usage: 'webhooks deliveries',
  summary: `show the newest ${maxListed} webhooks: waiting, delivered (kept for 7 days) and given up (kept for 30)`,
  example: 'webhooks deliveries',
  async run(given) {
    const receivers = await receiversOf(given);
    const deliveries = (await deliveriesPage(given.store, { receivers, limit: maxListed }))?.items ?? [];
    const lines = deliveries.flatMap(({ id, state, type, account, receiver, attempts, last_error }) => [
      [id, state.padEnd(8), type, account, receiver, `${attempts}×`].join('  '),
      ...(last_error === null ? [] : [`    ${last_error}`]),
    ]);
    return { text: lines.join('\n') || 'There are no webhooks.', data: { deliveries } };
  },
};

export const webhooksRetry: StoreCommand = {
  usage: 'webhooks retry ID|--all',
  summary: 'retry webhooks that were given up or that wait for their next attempt',
  example: 'webhooks retry --all',
  options: { all: { type: 'boolean', help: 'every waiting or given-up webhook instead of one' }, ...reasonOption },
  async run(given) {
    const { positionals, options } = given;
    const all = options.all === true;
    if (all === positionals.length > 0) throw new UsageError('webhooks retry: one or more IDs, or --all');
    const retried = await retryWebhooks(operationOf(given), all ? 'all' : positionals);
    const left = all ? [] : positionals.filter((id) => !retried.includes(id));
    const lines = [
      retried.length === 0
        ? 'There are no webhooks to retry.'
        : `Due now, with ten more attempts:\n${retried.join('\n')}`,
      ...left.map((id) => `${id}: not retried: it is unknown, delivered or already due`),
    ];
    return { text: lines.join('\n'), data: { retried, left }, failed: left.length > 0 };
  },
};

export const webhooksEnable: StoreCommand = {
  usage: 'webhooks enable RECEIVER',
  summary:
    'enable a receiver that responded 410 Gone or is in doubt, by its id in `webhooks list`, and send its waiting webhooks',
  words: oneReceiver,
  example: 'webhooks enable 3f2a9c --reason "receiver is fixed"',
  options: reasonOption,
  async run(given) {
    const receiver = await receiverIn(given);
    const enabled = await enableReceiver(operationOf(given), receiver);
    const text = `${nameOf(receiver)} ${enabled ? 'is enabled' : 'was not disabled'}.`;
    return { text, data: { enabled }, failed: !enabled };
  },
};

export const webhookCommands = [
  webhooksAdd,
  webhooksChange,
  webhooksSecret,
  webhooksTest,
  webhooksEnable,
  webhooksRemove,
  webhooksDeliveries,
  webhooksRetry,
  webhooksList,
];
