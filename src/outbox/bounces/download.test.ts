import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { download } from './download.ts';

/** A server on this machine, until the test ends. Returns its address. */
async function start(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('gives the text that is there', async () => {
  expect(await download(await start((_, answer) => answer.end('a certificate')))).toBe('a certificate');
});

it.each<[string, RequestListener]>([
  ['what is not there', (_, answer) => answer.writeHead(404).end('nothing')],
  ['what is elsewhere', (_, answer) => answer.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['what is too large', (_, answer) => answer.end('x'.repeat(65 * 1024))],
  ['what never ends', (_, answer) => void setInterval(() => answer.write('x'.repeat(1024)), 1).unref()],
  [
    'what breaks off',
    (_, answer) => answer.writeHead(200, { 'content-length': '9' }).write('x', () => answer.destroy()),
  ],
])('says “later” of %s', async (_, answer) => {
  await expect(download(await start(answer))).rejects.toMatchObject({ code: 'try_again_later', status: 503 });
});
