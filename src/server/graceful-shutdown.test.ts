import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { stopAccepting, waitForQuietMoment } from './graceful-shutdown.ts';

test('connections that arrived before the listener closes get a response, even if not yet accepted', async () => {
  const server = createServer((_request, response) => response.setHeader('connection', 'close').end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const responses = Array.from(
    { length: 20 },
    () =>
      new Promise<unknown>((resolve) => {
        get({ port, host: '127.0.0.1', agent: false }, (response) => resolve(response.resume().statusCode)).on(
          'error',
          resolve,
        );
      }),
  );
  // They connect; this process accepts connections only in its next tick.
  await new Promise<void>((resolve) => {
    process.nextTick(() => process.nextTick(resolve));
  });
  await waitForQuietMoment(server);
  const closed = stopAccepting(server);
  expect(await Promise.all(responses)).toEqual(responses.map(() => 200));
  await closed;
  expect(server.listening).toBe(false);
});

test('a server without connections, or one that does not listen yet, closes immediately', async () => {
  const server = createServer();
  await waitForQuietMoment(server);
  await stopAccepting(server);
  expect(server.listening).toBe(false);
});
