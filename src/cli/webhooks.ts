import { deliveriesPage, describeReceivers, enableReceiver, retryWebhooks } from '../operations/deliveries.ts';
import { type Receiver, readReceivers } from '../webhooks/receivers-file.ts';
import { operationOf, reasonOption, type StoreCommand, UsageError } from './command.ts';

export const webhooksList: StoreCommand = {
  usage: 'webhooks [list]',
  summary: 'show the receivers in WEBHOOKS_FILE, their events, and which are disabled',
  example: 'webhooks list',
  async run({ store, config, positionals }) {
    if (positionals.length > 1 || (positionals[0] ?? 'list') !== 'list')
      throw new UsageError(
        'webhooks [list], webhooks deliveries, webhooks retry ID|--all, or webhooks enable RECEIVER',
      );
    const receivers = await describeReceivers(store, readReceivers(config.WEBHOOKS_FILE));
    const lines = receivers.map(({ id, receiver, events, disabled_at }) =>
      [id, receiver, disabled_at ? `disabled since ${disabled_at} (410 Gone)` : 'active', events.join(' ')].join('  '),
    );
    return { text: lines.join('\n') || 'WEBHOOKS_FILE lists no receivers.', data: { receivers } };
  },
};

const maxListed = 100;

export const webhooksDeliveries: StoreCommand = {
  usage: 'webhooks deliveries',
  summary: `show the newest ${maxListed} webhooks: waiting, delivered (kept for 7 days) and given up (kept for 30)`,
  example: 'webhooks deliveries',
  async run({ store, config }) {
    const receivers = readReceivers(config.WEBHOOKS_FILE);
    const deliveries = (await deliveriesPage(store, { receivers, limit: maxListed }))?.items ?? [];
    const lines = deliveries.flatMap(({ id, state, type, account, receiver, attempts, last_error }) => [
      [id, state.padEnd(8), type, account, receiver, `${attempts}×`].join('  '),
      ...(last_error === null ? [] : [`    ${last_error}`]),
    ]);
    return { text: lines.join('\n') || 'There are no webhooks.', data: { deliveries } };
  },
};

export const webhooksRetry: StoreCommand = {
  usage: 'webhooks retry ID|--all [--reason TEXT]',
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
  usage: 'webhooks enable RECEIVER [--reason TEXT]',
  summary: 'enable a receiver that responded 410 Gone, by its id in `webhooks list`, and send its waiting webhooks',
  example: 'webhooks enable 3f2a9c --reason "receiver is fixed"',
  options: reasonOption,
  async run(given) {
    const [id, ...more] = given.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('webhooks enable RECEIVER');
    const receiver = readReceivers(given.config.WEBHOOKS_FILE).find((one) => one.id === id);
    if (!receiver) throw new UsageError(`webhooks enable: WEBHOOKS_FILE has no receiver ${id}`);
    const enabled = await enableReceiver(operationOf(given), { id, host: receiver.url.host });
    const text = `${nameOf(receiver)} ${enabled ? 'is enabled' : 'was not disabled'}.`;
    return { text, data: { enabled }, failed: !enabled };
  },
};

/** The URL without its query, which may contain a secret. */
const nameOf = ({ url }: Receiver): string => `${url.origin}${url.pathname}`;

export const webhookCommands = [webhooksDeliveries, webhooksRetry, webhooksEnable, webhooksList];
