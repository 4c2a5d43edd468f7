import { createHmac } from 'node:crypto';
import { iso, seconds } from '../contract/units.ts';
import { type RequestFailed, sendRequest } from '../outgoing/send-request.ts';
import type { Receiver } from './receivers.ts';

/** A receiver that takes longer (ms) has failed. */
export const responseTimeout = seconds(15);

export interface DeliveryFailure {
  readonly error: string;
  readonly status?: number;
}

interface SentEvent {
  /** The same for each attempt. */
  readonly id: string;
  /** Milliseconds since the epoch: when this attempt leaves. */
  readonly at: number;
  readonly type: string;
  /** When it happened. */
  readonly timestamp: number;
  readonly data: unknown;
  readonly signal: AbortSignal;
}

/** Posts an event to a receiver. Success is a status of 200 to 299, whatever the body. */
export async function sendEvent(
  { url, secrets }: Pick<Receiver, 'url' | 'secrets'>,
  { id, at, type, timestamp, data, signal }: SentEvent,
): Promise<DeliveryFailure | undefined> {
  const body = JSON.stringify({ type, timestamp: iso(timestamp), data });
  try {
    const { status } = await sendRequest({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signatureHeaders({ id, at, body, secrets }) },
      body,
      signal,
      longestBody: 0,
    });
    if (status >= 200 && status < 300) return undefined;
    const redirected = status >= 300 && status < 400 ? ', a redirect, which we do not follow' : '';
    return { status, error: `HTTP ${status}${redirected}` };
  } catch (error) {
    return { error: (error as RequestFailed).message };
  }
}

export interface SignableWebhook {
  readonly id: string;
  /** Milliseconds since the epoch: when this attempt leaves. */
  readonly at: number;
  readonly body: string;
  readonly secrets: readonly Buffer[];
}

/** The headers of Standard Webhooks 1.0.0, with one signature for each secret. */
export function signatureHeaders({ id, at, body, secrets }: SignableWebhook): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
