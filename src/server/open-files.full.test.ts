import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '../testing/client.ts';
import { freshDatabase } from '../testing/databases/databases.ts';
import { form } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';

const limited = test.runIf(process.platform === 'linux');

/** Opens connections that send `text` and stay open. */
async function hold(url: string, { count, text = '' }: { count: number; text?: string }): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => undefined));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map(async (socket) => {
      await once(socket, 'connect');
      socket.write(text);
    }),
  );
  return sockets;
}

limited('with 256 open files, 600 silent connections neither keep visitors out nor go unnoticed', async () => {
  const service = await startProcess(await freshDatabase('sqlite'), {}, { openFiles: 256 });
  const client = openClient(service.url);
  await hold(service.url, { count: 600 });
  expect(await client.post('/auth/register', form())).toSay('201');
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await expect
    .poll(() => service.log())
    .toContainEqual(
      expect.objectContaining({ level: 40, most: 182, msg: expect.stringContaining('raise LimitNOFILE') }),
    );
});

limited('a connection receives 503 while all others have a request in progress', async () => {
  const service = await startProcess(await freshDatabase('sqlite'), {}, { openFiles: 100 });
  const half = [
    'POST /computers/enrol HTTP/1.1',
    'Host: door.example',
    'Content-Type: application/json',
    'Content-Length: 9',
    // The service confirms that it has read the head of the request.
    'Expect: 100-continue',
    '',
    '',
  ].join('\r\n');
  const first = async ([socket]: Socket[]) => String((await once(socket as Socket, 'data'))[0]).split('\r\n', 2);
  for (let at = 0; at < 26; at += 1)
    expect(await first(await hold(service.url, { count: 1, text: half }))).toContain('HTTP/1.1 100 Continue');
  expect(await first(await hold(service.url, { count: 1 }))).toEqual([
    'HTTP/1.1 503 Service Unavailable',
    'Retry-After: 2',
  ]);
});
