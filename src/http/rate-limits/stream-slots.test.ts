import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openStreamSlots, type Slot } from './stream-slots.ts';

/** A server that passes each request to `receive` and never responds. */
async function serve(receive: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(receive).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (requests: number) => {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
    return socket;
  };
}

test('a closed connection releases the slots of all its requests, including those that wait behind the first', async () => {
  const slots = openStreamSlots({ perAccount: 3, perNode: 10 });
  const open = await serve((request, response) => slots.take({ request, response })?.assign('ada'));
  const socket = await open(3);
  await expect.poll(() => slots.count()).toBe(3);
  socket.resetAndDestroy();
  await expect.poll(() => slots.count()).toBe(0);
});

test('a connection that was closed before its slot is taken does not hold one', async () => {
  const slots = openStreamSlots({ perAccount: 3, perNode: 10 });
  const late: Promise<Slot | undefined>[] = [];
  const open = await serve((request, response) => {
    late.push(once(response, 'close').then(() => slots.take({ request, response })));
  });
  const socket = await open(1);
  await expect.poll(() => late.length).toBe(1);
  socket.resetAndDestroy();
  const slot = await late[0];
  expect([slot?.isFree, slot?.assign('ada'), slots.count()]).toEqual([true, false, 0]);
});

test('a sweep releases a slot whose connection was closed without an event', async () => {
  const slots = openStreamSlots({ perAccount: 1, perNode: 10 });
  const taken: Slot[] = [];
  const freed: string[] = [];
  const open = await serve((request, response) => {
    const slot = slots.take({ request, response }) as Slot;
    slot.assign('ada');
    slot.onFree(() => freed.push('ada'));
    response.removeAllListeners('close');
    request.socket.removeAllListeners('close');
    taken.push(slot);
  });
  const socket = await open(1);
  await expect.poll(() => taken.length).toBe(1);
  expect(slots.sweep()).toBe(0);
  socket.resetAndDestroy();
  await expect.poll(() => slots.sweep()).toBe(1);
  expect([freed, slots.count()]).toEqual([['ada'], 0]);
});

test('nodes and accounts stay within their slots, and each slot is released once', async () => {
  const slots = openStreamSlots({ perAccount: 2, perNode: 3 });
  const taken: (Slot | undefined)[] = [];
  const open = await serve((request, response) => void taken.push(slots.take({ request, response })));
  await open(4);
  await expect.poll(() => taken.length).toBe(4);
  expect(taken[3]).toBe(undefined);
  expect(taken.slice(0, 3).map((slot) => slot?.assign('ada'))).toEqual([true, true, false]);
  taken[0]?.release();
  taken[0]?.release();
  expect([taken[2]?.assign('ada'), taken[1]?.isFree, slots.count()]).toEqual([true, false, 2]);
});
