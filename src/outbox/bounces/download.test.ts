import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { download } from './download.ts';

/** Starts a server on this machine until the test ends. Returns its URL. */
async function start(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('returns the text', async () => {
  expect(await download(await start((_, answer) => answer.end('a certificate')))).toBe('a certificate');
});

it.each<[string, RequestListener]>([
  ['a missing page', (_, answer) => answer.writeHead(404).end('nothing')],
  ['a redirect', (_, answer) => answer.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['a response that is too large', (_, answer) => answer.end('x'.repeat(65 * 1024))],
  ['a response that never ends', (_, answer) => void setInterval(() => answer.write('x'.repeat(1024)), 1).unref()],
  [
    'a response that breaks off',
    (_, answer) => answer.writeHead(200, { 'content-length': '9' }).write('x', () => answer.destroy()),
  ],
])('%s fails with try_again_later', async (_, answer) => {
  await expect(download(await start(answer))).rejects.toMatchObject({ code: 'try_again_later', status: 503 });
});
