import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { minutes } from '../contract/units.ts';
import { eventTypes } from '../contract/webhook-events.ts';

export interface ReceivedWebhook {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly secret: string;
  /** Every verified webhook, repeated ones included. */
  readonly received: readonly ReceivedWebhook[];
  /** Webhooks that the published package rejected. */
  readonly rejected: readonly string[];
  close(): Promise<void>;
}

/** How the receiver responds; 204 unless given. */
export type WebhookReply = (response: ServerResponse, webhook: ReceivedWebhook) => unknown;

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

interface ReceiverOptions {
  /** A function if the service makes the secret once the receiver has an address. */
  readonly secret?: string | (() => string);
  readonly reply?: WebhookReply;
  /** The service's clock, if a test moves it. */
  readonly now?: (() => number) | undefined;
}

/** An application that receives webhooks and verifies them with the package `standardwebhooks`. */
export async function openWebhookReceiver({
  secret = newSecret(),
  reply = (response) => response.writeHead(204).end(),
  now,
}: ReceiverOptions = {}): Promise<WebhookReceiver> {
  const secretNow = () => (typeof secret === 'function' ? secret() : secret);
  const received: ReceivedWebhook[] = [];
  const rejected: string[] = [];
  const server = createServer(async (request, response) => {
    let raw = '';
    for await (const chunk of request) raw += chunk;
    const { headers } = request;
    const id = String(headers['webhook-id']);
    try {
      const body = verify({ raw, headers, secret: secretNow(), now });
      const webhook = { ...(body as ReceivedWebhook), id, headers, raw };
      received.push(webhook);
      await reply(response, webhook);
    } catch (error) {
      rejected.push(`${id}: ${(error as Error).message}`);
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    get secret() {
      return secretNow();
    },
    received,
    rejected,
    close: () => closeServer(server),
  };
}

interface Signed {
  readonly raw: string;
  readonly headers: IncomingHttpHeaders;
  readonly secret: string;
  readonly now: (() => number) | undefined;
}

const tolerance = minutes(5);

/** The package compares the time with this machine's clock, so under a moved clock it only computes the signature. */
function verify({ raw, headers, secret, now }: Signed): unknown {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const webhook = new Webhook(secret);
  if (!now) return webhook.verify(raw, named);
  const at = new Date(Number(named['webhook-timestamp']) * 1000);
  if (Math.abs(now() - at.getTime()) > tolerance) throw new Error('the timestamp is wrong');
  const signature = webhook.sign(named['webhook-id'] ?? '', at, raw);
  if (!named['webhook-signature']?.split(' ').includes(signature)) throw new Error('no matching signature');
  return JSON.parse(raw);
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

interface FileEntry {
  readonly url: string;
  readonly secret: string | readonly string[];
  readonly events?: readonly string[];
}

/** Writes a WEBHOOKS_FILE, and returns its name. */
export function writeWebhooksFile(receivers: readonly FileEntry[], file = newFile()): string {
  const entries = receivers.map(({ url, secret, events = eventTypes }) => ({ url, secret, events }));
  writeFileSync(file, JSON.stringify(entries), { mode: 0o600 });
  return file;
}

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'vestibule-webhooks-')), 'webhooks.json');
