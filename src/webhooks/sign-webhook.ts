import { createHmac } from 'node:crypto';

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
