import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { csrfCookie } from '../../src/contract/cookies.ts';
import type { Client } from '../../src/testing/client.ts';
import { newAddress } from './visitors.ts';

export interface Sent {
  readonly browser: Client;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A change as a browser sends it, byte by byte. */
export function bytesOf({ browser, path, body = {}, headers = {} }: Sent): Buffer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    host: 'door.example',
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'x-forwarded-for': newAddress(),
    'x-csrf-token': browser.cookies.get(csrfCookie) ?? '',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`);
}

/** A connection to a service; what goes wrong with it is what a scene is about. */
export async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** Sends it and resets the connection so many milliseconds later, before any answer is read. */
export async function sendAndReset(url: string, bytes: Buffer, after: number): Promise<void> {
  const socket = await dial(url);
  socket.write(bytes);
  // Without a pause the service finds the request and the reset at the same moment.
  await new Promise((resolve) => setTimeout(resolve, after));
  const closed = once(socket, 'close');
  socket.resetAndDestroy();
  await closed;
}
