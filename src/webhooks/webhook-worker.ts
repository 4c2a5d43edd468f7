import { seconds } from '../contract/durations.ts';
import { ageOf, startWorker } from '../delivery/worker.ts';
import { type WebhookDeliveriesTable, webhookQueue } from '../store/webhooks/deliveries.ts';
import { disabledReceivers, subscribe } from '../store/webhooks/receivers.ts';
import { type AttemptDeps, attemptDelivery, longestPause, type WebhookOutcome } from './delivery-attempt.ts';
import type { Receiver } from './receivers-file.ts';

const answersWithin = seconds(15);
/** Longer than any attempt. */
const leaseFor = answersWithin + seconds(15);
/** Parallel deliveries to each receiver, so that a slow one does not delay the others. */
const sendsAtOnce = 4;
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
  /** Replaces the receivers. */
  use(receivers: readonly Receiver[]): void;
  /** Looks for due deliveries now. */
  wake(): void;
  /** Claims no more, and gives attempts in progress a second to finish. */
  stop(): Promise<void>;
  counts(): Promise<WebhookCounts>;
}

export type WebhookDeps = Pick<AttemptDeps, 'store' | 'now' | 'log'> &
  Partial<Pick<AttemptDeps, 'random' | 'answersWithin'>>;

/** Delivers the events of this service to other applications; any number of nodes may do so on one database. */
export function startWebhooks(deps: WebhookDeps, configured: readonly Receiver[]): Webhooks {
  const { store, log, now } = deps;
  const stopping = new AbortController();
  const attempts: AttemptDeps = { random: Math.random, answersWithin, ...deps, stopping: stopping.signal };
  let receivers = new Map<string, Receiver>();

  /** Configured receivers that are disabled. */
  async function disabled(): Promise<ReadonlySet<string>> {
    if (receivers.size === 0) return new Set();
    return new Set((await disabledReceivers(store)).flatMap(({ id }) => (receivers.has(id) ? [id] : [])));
  }

  function use(next: readonly Receiver[]): void {
    subscribe(store, next);
    receivers = new Map(next.map((one) => [one.id, one]));
  }
  use(configured);

  const worker = startWorker<WebhookDeliveriesTable, string, WebhookOutcome>({
    what: 'webhook',
    queue: webhookQueue,
    ...{ store, now, log, leaseFor },
    async lanes() {
      const skipped = await disabled();
      return [...receivers.keys()].flatMap((name) => (skipped.has(name) ? [] : [{ name }]));
    },
    room: ({ sending, isFailing }) => (isFailing ? sendsWhileFailing : sendsAtOnce) - sending,
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
    wake: worker.wake,
    stop: worker.stop,
    async counts() {
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
