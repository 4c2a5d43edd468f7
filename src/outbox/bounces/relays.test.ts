import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { download } from './relays.ts';

/** Starts a server on this machine until the test ends. Returns its URL. */
async function start(response: RequestListener): Promise<string> {
  const server = createServer(response);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('returns the text', async () =>
  expect(await download(await start((_, response) => response.end('a certificate')))).toBe('a certificate'));

it.each<[string, RequestListener]>([
  ['a missing page', (_, response) => response.writeHead(404).end('nothing')],
  ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['a response that is too large', (_, response) => response.end('x'.repeat(65 * 1024))],
  ['a response that never ends', (_, response) => void setInterval(() => response.write('x'.repeat(1024)), 1).unref()],
  [
    'a response that breaks off',
    (_, response) => response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy()),
  ],
])('%s fails with try_again_later', async (_, response) => {
  await expect(download(await start(response))).rejects.toMatchObject({ code: 'try_again_later', status: 503 });
});
