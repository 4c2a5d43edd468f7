import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../contract/durations.ts';
import { watchClock } from '../store/clock-changes.ts';
import { claimDeliveries, deliveryBacklog, type WebhookDeliveriesTable } from '../store/webhooks/deliveries.ts';
import { endOutdatedPauses, shiftDeliveries } from '../store/webhooks/delivery-times.ts';
import { disabledReceivers, subscribe } from '../store/webhooks/receivers.ts';
import { longestPause } from './back-off.ts';
import { type AttemptDeps, attemptDelivery, type DeliveryOutcome } from './delivery-attempt.ts';
import type { Receiver } from './receivers-file.ts';

/** Longest wait of a due delivery. */
const pollEvery = seconds(1);
const answersWithin = seconds(15);
/** Longer than any attempt, so that no other worker claims a delivery that is being sent. */
export const leaseFor = answersWithin + seconds(15);
/** Parallel deliveries to each receiver, so that a slow one does not delay the others. */
const sendsAtOnce = 4;
/** Parallel deliveries to a receiver whose latest attempt failed. */
const sendsWhileFailing = 1;
/** How long attempts in progress may continue when the service stops; their deliveries are repeated later. */
const stopWithin = seconds(1);

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

interface Lane {
  receiver: Receiver;
  /** Ids of deliveries whose attempts are in progress. */
  readonly sending: Set<string>;
  isFailing: boolean;
  readonly followClock: () => Promise<void>;
  round: Promise<void> | undefined;
  isWoken: boolean;
}

/** Delivers the events of this service to other applications; any number of nodes may do so on one database. */
export function startWebhooks(deps: WebhookDeps, receivers: readonly Receiver[]): Webhooks {
  const { store, log, now } = deps;
  const stopping = new AbortController();
  const attempts: AttemptDeps = { random: Math.random, answersWithin, ...deps, stopping: stopping.signal };
  const lanes = new Map<string, Lane>();
  const underWay = new Set<Promise<void>>();
  const done = { delivered: 0, failed: 0, gaveUp: 0 };
  let poll: NodeJS.Timeout | undefined;
  let stopped = false;

  function use(next: readonly Receiver[]): void {
    subscribe(store, next);
    for (const id of lanes.keys()) if (!next.some((one) => one.id === id)) lanes.delete(id);
    for (const receiver of next) {
      const lane = lanes.get(receiver.id);
      if (lane) lane.receiver = receiver;
      else lanes.set(receiver.id, openLane(receiver));
    }
    clearInterval(poll);
    // Without receivers there is nothing to look for.
    if (lanes.size > 0 && !stopped) poll = setInterval(wake, pollEvery).unref();
    wake();
  }

  function openLane(receiver: Receiver): Lane {
    const followClock = watchClock({
      now,
      onStart: (step) => endOutdatedPauses(store, { receiver: receiver.id, longestPause, ...step }),
      onSetBack: (step) => shiftDeliveries(store, { receiver: receiver.id, ...step }),
    });
    return { receiver, followClock, sending: new Set(), isFailing: false, round: undefined, isWoken: false };
  }

  function wake(): void {
    for (const lane of lanes.values()) wakeLane(lane);
  }

  function wakeLane(lane: Lane): void {
    lane.isWoken = true;
    if (stopped || lane.round) return;
    lane.round = claimDue(lane)
      .catch((error: unknown) => log.error({ err: error }, 'cannot read due webhooks'))
      .finally(() => {
        lane.round = undefined;
        // `wakeLane` was called after the last claim.
        if (lane.isWoken) wakeLane(lane);
      });
  }

  async function claimDue(lane: Lane): Promise<void> {
    while (lane.isWoken && !stopped) {
      lane.isWoken = false;
      await lane.followClock();
      const limit = (lane.isFailing ? sendsWhileFailing : sendsAtOnce) - lane.sending.size;
      // Each attempt that ends wakes us again.
      if (limit <= 0) return;
      const query = { receiver: lane.receiver.id, limit, now: now(), leaseFor, sending: [...lane.sending] };
      for (const delivery of await claimDeliveries(store, query)) track(lane, delivery);
    }
  }

  function track(lane: Lane, delivery: WebhookDeliveriesTable): void {
    const attempt = attemptDelivery(attempts, { receiver: lane.receiver, delivery })
      .then((outcome) => count(lane, outcome))
      // Its lease expires, and it is tried again.
      .catch((error: unknown) => log.error({ err: error, webhook: delivery.id }, 'cannot record a webhook'))
      .finally(() => {
        lane.sending.delete(delivery.id);
        underWay.delete(attempt);
        wakeLane(lane);
      });
    lane.sending.add(delivery.id);
    underWay.add(attempt);
  }

  function count(lane: Lane, outcome: DeliveryOutcome): void {
    lane.isFailing = outcome !== 'delivered';
    if (outcome === 'delivered') done.delivered += 1;
    else if (outcome !== 'released') done.failed += 1;
    if (outcome === 'gaveUp') done.gaveUp += 1;
  }

  use(receivers);

  return {
    use,
    wake,
    async stop() {
      stopped = true;
      clearInterval(poll);
      await Promise.all([...lanes.values()].map(({ round }) => round));
      await Promise.race([Promise.all(underWay), pause(stopWithin, undefined, { ref: false })]);
      stopping.abort();
      await Promise.all(underWay);
    },
    async counts() {
      if (lanes.size === 0) return { queued: 0, oldest: 0, disabled: 0, ...done };
      const { queued, oldest } = await deliveryBacklog(store, [...lanes.keys()]);
      const disabled = (await disabledReceivers(store)).filter(({ id }) => lanes.has(id)).length;
      return { queued, oldest: oldest === null ? 0 : Math.max(0, now() - oldest), disabled, ...done };
    },
  };
}
