import { once } from 'node:events';
import { OutgoingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { openDraining } from './connections.ts';

test.each<[string, readonly number[], boolean]>([
  ['never checked', [], false],
  ['checked once', [0], false],
  ['checked every second', [seconds(57), seconds(58), seconds(59)], true],
  ['checked every 30 seconds', [0, seconds(30), seconds(60)], true],
  ['no longer checked', [0, seconds(1), minutes(3)], false],
  ['checked once after a pause', [0, minutes(3)], false],
])('a node that is %s', (_, checks, isWatched) => {
  let now = 0;
  const draining = openDraining(() => now);
  for (const at of checks) {
    now = at;
    if (at !== minutes(3)) draining.noticeCheck();
  }
  expect(draining.isWatched()).toBe(isWatched);
});

const opened = await openTestServer('sqlite');

afterEach(() => vi.restoreAllMocks());

/** Sends requests on one connection that reads nothing. */
async function openSilentReader(url: string, requests: readonly string[]) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  await once(socket, 'connect');
  socket.write(requests.map((head) => `GET ${head}\r\nHost: door.example\r\n\r\n`).join(''));
  return socket;
}

/** Everything of more than 100 bytes that responses hold from now on, and how many are complete. */
function watchBodies() {
  const held: unknown[] = [];
  let complete = 0;
  const note = (chunk: unknown) => {
    if ((typeof chunk === 'string' || Buffer.isBuffer(chunk)) && chunk.length > 100) held.push(chunk);
  };
  const { end } = ServerResponse.prototype;
  const { write } = OutgoingMessage.prototype;
  vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (this: ServerResponse, ...sent: unknown[]) {
    note(sent[0]);
    complete++;
    return end.apply(this, sent as never);
  });
  vi.spyOn(OutgoingMessage.prototype, 'write').mockImplementation(function (this: OutgoingMessage, ...sent: unknown[]) {
    note(sent[0]);
    return write.apply(this, sent as never);
  });
  return { held, complete: () => complete };
}

const assetOf = async (url: string) => /\/assets\/entry-[\w-]+\.js/.exec(await (await fetch(url)).text())?.[0] ?? '';

test.each([
  ['the API document', async () => '/openapi.json'],
  ['a page', async () => '/de/register/'],
  ['the page for unknown paths', async () => '/nothing/here'],
  ['the data of a page', async () => '/de/register/_payload.json'],
  ['a script', assetOf],
])('clients that read nothing share the bytes of %s', async (_, addressOf) => {
  const { url } = opened;
  const path = await addressOf(url);
  for (const coding of ['identity', 'gzip', 'br']) {
    const { held, complete } = watchBodies();
    const request = `${path} HTTP/1.1\r\nAccept-Encoding: ${coding}`;
    const readers = await Promise.all(
      Array.from({ length: 5 }, () => openSilentReader(url, [request, request, request])),
    );
    await expect.poll(complete).toBe(15);
    expect(held.every(Buffer.isBuffer)).toBe(true);
    expect(new Set((held as Buffer[]).map(({ buffer }) => buffer)).size).toBe(1);
    for (const reader of readers) reader.destroy();
    vi.restoreAllMocks();
  }
});

test('a connection with many responses that its client has not read is closed', async () => {
  const { url } = opened;
  const requests = (count: number) => Array.from({ length: count }, () => '/openapi.json HTTP/1.1');
  const [patient, greedy] = [await openSilentReader(url, requests(16)), await openSilentReader(url, requests(17))];
  const codes: unknown[] = [];
  greedy.on('error', (error: NodeJS.ErrnoException) => codes.push(error.code));
  greedy.resume();
  await once(greedy, 'close');
  patient.end();
  let heard = '';
  for await (const part of patient.setEncoding('latin1')) heard += part;
  expect(heard.match(/HTTP\/1\.1 200 /g)).toHaveLength(16);
});
