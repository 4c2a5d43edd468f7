import { connect } from 'node:net';
import { csrfCookie } from '../contract/pages.ts';
import type { Client } from './client.ts';

interface CutRequest {
  readonly url: string;
  readonly browser: Client;
  readonly path: string;
  readonly body?: unknown;
  /** Added to the default headers of the body, or replaces them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between the request and the reset. */
  readonly after: number;
}

/** Sends a POST request as a browser would, and resets the connection before the response. */
export async function sendAndCut({ url, browser, path, body = {}, headers = {}, after }: CutRequest): Promise<void> {
  if (!browser.cookies.has(csrfCookie)) await browser.get('/auth/csrf');
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: door.example',
    `Cookie: ${[...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
    `X-CSRF-Token: ${browser.cookies.get(csrfCookie) ?? ''}`,
    'Content-Type: application/json',
    ...Object.entries({ 'content-length': Buffer.byteLength(text), ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  // Without a pause the server sees the request and the reset at the same moment.
  if (after > 0) await new Promise<void>((resolve) => setTimeout(resolve, after));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resetAndDestroy();
  await closed;
}
