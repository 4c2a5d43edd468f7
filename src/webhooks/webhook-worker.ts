import { hours, minutes, seconds } from '../contract/units.ts';
import { ageOf, type DeliveryLog, type Outcome, pauses, startWorker } from '../delivery/worker.ts';
import type { Store } from '../store/database.ts';
import { type WebhookDeliveriesTable, webhookQueue } from '../store/webhooks/deliveries.ts';
import { disabledReceivers, disableReceiver, subscribe } from '../store/webhooks/record-event.ts';
import { type Receiver, readAllReceivers, type Sealing } from './receivers.ts';
import { responseTimeout, sendEvent } from './send-event.ts';

/** After each failed attempt, as Standard Webhooks 1.0.0 proposes: ten attempts over 75 hours. */
const steps = [
  ...[seconds(5), minutes(5), minutes(30)],
  ...[hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)],
];
const jitter = 0.1;
const pauseAfter = pauses(steps, jitter);
/** In milliseconds. */
const longestPause = Math.max(...steps) * (1 + jitter);

interface AttemptDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: DeliveryLog;
  /** A receiver that takes longer (ms) has failed. */
  readonly responseTimeout: number;
  /** Aborts attempts when the service stops. */
  readonly stopping: AbortSignal;
}

/** `released` was interrupted by a shutdown; `disabled` was refused with 410. */
type WebhookOutcome = 'delivered' | 'postponed' | 'gaveUp' | 'released' | 'disabled';

/** Sends a claimed delivery. */
async function attemptDelivery(
  { store, now, random, log, stopping, ...deps }: AttemptDeps,
  { receiver, delivery }: { receiver: Receiver; delivery: WebhookDeliveriesTable },
): Promise<Outcome<WebhookOutcome>> {
  const { id, attempts, type } = delivery;
  const about = { webhook: id, type, receiver: receiver.url.host };
  const signal = AbortSignal.any([AbortSignal.timeout(deps.responseTimeout), stopping]);
  const data = JSON.parse(delivery.data);
  const failure = await sendEvent(receiver, { id, at: now(), type, timestamp: delivery.created_at, data, signal });
  if (failure === undefined) {
    log.info(about, 'webhook delivered');
    return { name: 'delivered', end: 'done' };
  }
  const { error, status } = failure;
  if (stopping.aborted) return { name: 'released', end: 'release', error };
  if (status === 410) {
    await disableReceiver(store, { id: receiver.id, at: now() });
    log.error(about, 'the receiver of webhooks responded 410 Gone and is disabled: vestibule webhooks enable');
    return { name: 'disabled', end: 'release', error };
  }
  if (attempts > steps.length) {
    log.error({ ...about, attempts, error }, 'webhook given up');
    return { name: 'gaveUp', end: 'giveUp', error };
  }
  log.warn({ ...about, attempts, error }, 'webhook not delivered, will be retried');
  return { name: 'postponed', end: 'postpone', dueAt: now() + pauseAfter({ attempts, random: random() }), error };
}

/** Longer than any attempt. */
const leaseFor = responseTimeout + seconds(15);
/** Parallel deliveries to each receiver, so that a slow one does not delay the others. */
const maxConcurrentSends = 4;
/** Parallel deliveries to a receiver whose latest attempt failed. */
const sendsWhileFailing = 1;

export interface WebhookCounts {
  readonly queued: number;
  /** Age of the oldest queued delivery, in milliseconds. */
  readonly oldest: number;
  readonly delivered: number;
  readonly failed: number;
  readonly gaveUp: number;
  readonly disabled: number;
}

export interface Webhooks {
  /** Replaces the receivers in WEBHOOKS_FILE. */
  use(receivers: readonly Receiver[]): void;
  /** The receivers in use: those in the file, and those that operators added. */
  receivers(): Promise<readonly Receiver[]>;
  /** Looks for due deliveries now. */
  wake(): void;
  /** Claims no more, and gives attempts in progress a second to finish. */
  stop(): Promise<void>;
  counts(): Promise<WebhookCounts>;
}

export type WebhookDeps = Pick<AttemptDeps, 'store' | 'now' | 'log'> &
  Partial<Pick<AttemptDeps, 'random' | 'responseTimeout'>> & {
    /** Opens what operators added. */
    readonly secrets: Sealing;
  };

/** Delivers the events of this service to other applications; any number of nodes may do so on one database. */
export function startWebhooks(deps: WebhookDeps, configured: readonly Receiver[]): Webhooks {
  const { store, log, now, secrets } = deps;
  const stopping = new AbortController();
  const attempts: AttemptDeps = { random: Math.random, responseTimeout, ...deps, stopping: stopping.signal };
  let fromFile: readonly Receiver[] = [];
  /** As the last look at the database found them: other nodes add receivers and change their secrets. */
  let receivers: ReadonlyMap<string, Receiver> = new Map();

  async function readReceivers(): Promise<readonly Receiver[]> {
    const all = await readAllReceivers({ store, secrets, fromFile });
    receivers = new Map(all.map((one) => [one.id, one]));
    return all;
  }

  async function disabled(): Promise<ReadonlySet<string>> {
    if (receivers.size === 0) return new Set();
    return new Set((await disabledReceivers(store)).flatMap(({ id }) => (receivers.has(id) ? [id] : [])));
  }

  function use(next: readonly Receiver[]): void {
    subscribe(store, next);
    fromFile = next;
  }
  use(configured);

  const worker = startWorker<WebhookDeliveriesTable, string, WebhookOutcome>({
    what: 'webhook',
    queue: webhookQueue,
    ...{ store, now, log, leaseFor },
    async lanes() {
      const all = await readReceivers();
      const skipped = await disabled();
      return all.flatMap(({ id: name }) => (skipped.has(name) ? [] : [{ name }]));
    },
    room: ({ sending, isFailing }) => (isFailing ? sendsWhileFailing : maxConcurrentSends) - sending,
    onStart: (at) => webhookQueue.endOutdatedPauses(store, { now: at, longestPause }),
    async send(delivery) {
      const receiver = receivers.get(delivery.receiver);
      if (receiver) return attemptDelivery(attempts, { receiver, delivery });
      return { name: 'released', end: 'release', error: 'the receiver is no longer configured' };
    },
    abandon: () => stopping.abort(),
  });

  return {
    use(next) {
      use(next);
      worker.wake();
    },
    receivers: readReceivers,
    wake: worker.wake,
    stop: worker.stop,
    async counts() {
      await readReceivers();
      const { queued, oldest } =
        receivers.size === 0 ? noBacklog : await webhookQueue.backlog(store, [...receivers.keys()]);
      const gaveUp = worker.count('gaveUp');
      return {
        queued,
        oldest: ageOf(oldest, now()),
        delivered: worker.count('delivered'),
        failed: worker.count('postponed') + worker.count('disabled') + gaveUp,
        gaveUp,
        disabled: (await disabled()).size,
      };
    },
  };
}

const noBacklog = { queued: 0, oldest: null };
