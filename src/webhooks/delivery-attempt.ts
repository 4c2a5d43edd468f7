import { hours, minutes, seconds } from '../contract/durations.ts';
import { iso } from '../contract/iso-time.ts';
import { type DeliveryLog, type Outcome, pauses } from '../delivery/worker.ts';
import { type RequestFailed, sendRequest } from '../outgoing/send-request.ts';
import type { Store } from '../store/database.ts';
import type { WebhookDeliveriesTable } from '../store/webhooks/deliveries.ts';
import { disableReceiver } from '../store/webhooks/receivers.ts';
import type { Receiver } from './receivers-file.ts';
import { signatureHeaders } from './sign-webhook.ts';

/** After each failed attempt, as Standard Webhooks 1.0.0 proposes: ten attempts over 75 hours. */
const steps = [
  ...[seconds(5), minutes(5), minutes(30)],
  ...[hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)],
];
const jitter = 0.1;
const pauseAfter = pauses(steps, jitter);
/** In milliseconds. */
export const longestPause = Math.max(...steps) * (1 + jitter);

export interface AttemptDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: DeliveryLog;
  /** A receiver that takes longer (ms) has failed. */
  readonly answersWithin: number;
  /** Aborts attempts when the service stops. */
  readonly stopping: AbortSignal;
}

/** `released` was interrupted by a shutdown; `disabled` was refused with 410. */
export type WebhookOutcome = 'delivered' | 'postponed' | 'gaveUp' | 'released' | 'disabled';

interface ClaimedDelivery {
  readonly receiver: Receiver;
  readonly delivery: WebhookDeliveriesTable;
}

/** Sends a claimed delivery. Success is a status of 200 to 299, whatever the body. */
export async function attemptDelivery(deps: AttemptDeps, claimed: ClaimedDelivery): Promise<Outcome<WebhookOutcome>> {
  const { store, now, random, log, stopping } = deps;
  const { receiver, delivery } = claimed;
  const { id, attempts } = delivery;
  const about = { webhook: id, type: delivery.type, receiver: receiver.url.host };
  const failure = await send(deps, claimed);
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

interface DeliveryFailure {
  readonly error: string;
  readonly status?: number;
}

async function send(
  { now, stopping, answersWithin }: AttemptDeps,
  { receiver, delivery }: ClaimedDelivery,
): Promise<DeliveryFailure | undefined> {
  const { id, type, created_at, data } = delivery;
  const body = JSON.stringify({ type, timestamp: iso(created_at), data: JSON.parse(data) });
  const signed = signatureHeaders({ id, at: now(), body, secrets: receiver.secrets });
  try {
    const { status } = await sendRequest({
      url: receiver.url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(answersWithin), stopping]),
      longestBody: 0,
    });
    if (status >= 200 && status < 300) return undefined;
    const redirected = status >= 300 && status < 400 ? ', a redirect, which we do not follow' : '';
    return { status, error: `HTTP ${status}${redirected}` };
  } catch (error) {
    return { error: (error as RequestFailed).message };
  }
}
