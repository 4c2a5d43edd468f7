import { iso } from '../contract/iso-time.ts';
import { type RequestFailed, sendRequest } from '../outgoing/send-request.ts';
import type { Store } from '../store/database.ts';
import {
  giveUpDelivery,
  markDelivered,
  postponeDelivery,
  releaseDelivery,
  type WebhookDeliveriesTable,
} from '../store/webhooks/deliveries.ts';
import { disableReceiver } from '../store/webhooks/receivers.ts';
import { pauseAfterAttempt } from './back-off.ts';
import type { Receiver } from './receivers-file.ts';
import { signatureHeaders } from './sign-webhook.ts';

export interface WebhookLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface AttemptDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: WebhookLog;
  /** A receiver that takes longer (ms) has failed. */
  readonly answersWithin: number;
  /** Aborts attempts when the service stops. */
  readonly stopping: AbortSignal;
}

/** `released` was interrupted by a shutdown; `disabled` was refused with 410. */
export type DeliveryOutcome = 'delivered' | 'postponed' | 'gaveUp' | 'released' | 'disabled';

interface ClaimedDelivery {
  readonly receiver: Receiver;
  readonly delivery: WebhookDeliveriesTable;
}

/** Sends a claimed delivery, and records the outcome. Success is a status of 200 to 299, whatever the body. */
export async function attemptDelivery(deps: AttemptDeps, claimed: ClaimedDelivery): Promise<DeliveryOutcome> {
  const { store, now, log, stopping } = deps;
  const { receiver, delivery } = claimed;
  const { id, leased_until: leasedUntil } = delivery;
  const about = { webhook: id, type: delivery.type, receiver: receiver.url.host };
  const failure = await send(deps, claimed);
  if (failure === undefined) {
    await markDelivered(store, { id, at: now() });
    log.info(about, 'webhook delivered');
    return 'delivered';
  }
  if (stopping.aborted) {
    await releaseDelivery(store, { id, leasedUntil, error: failure.error });
    return 'released';
  }
  if (failure.status === 410) {
    await disableReceiver(store, { id: receiver.id, at: now() });
    await releaseDelivery(store, { id, leasedUntil, error: failure.error });
    log.error(about, 'the receiver of webhooks responded 410 Gone and is disabled: vestibule webhooks enable');
    return 'disabled';
  }
  return failed(deps, claimed, failure.error);
}

async function failed(
  { store, now, random, log }: AttemptDeps,
  { receiver, delivery }: ClaimedDelivery,
  error: string,
): Promise<DeliveryOutcome> {
  const { id, attempts, leased_until: leasedUntil } = delivery;
  const details = { webhook: id, type: delivery.type, receiver: receiver.url.host, attempts, error };
  const pause = pauseAfterAttempt({ attempts, random: random() });
  if (pause === undefined) {
    await giveUpDelivery(store, { id, leasedUntil, at: now(), error });
    log.error(details, 'webhook given up');
    return 'gaveUp';
  }
  await postponeDelivery(store, { id, leasedUntil, dueAt: now() + pause, error });
  log.warn(details, 'webhook not delivered, will be retried');
  return 'postponed';
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
