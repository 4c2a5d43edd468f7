import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../contract/durations.ts';

/** Milliseconds without a new connection. */
const quietFor = 10;
/** Tolerated delay (ms) of this process itself: during a longer one, unseen connections may have arrived. */
const latestBy = 5;
const patience = seconds(1);

/**
 * Resolves at a moment without new connections, or after a second: then it is safe to stop listening. The kernel resets
 * connections that we have not accepted yet, and a proxy then cannot tell whether a `POST` has arrived.
 */
export async function waitForQuietMoment(server: Server): Promise<void> {
  let came = false;
  const notice = () => {
    came = true;
  };
  server.on('connection', notice);
  const givesUp = performance.now() + patience;
  let isQuiet = false;
  while (!isQuiet && performance.now() < givesUp) {
    came = false;
    const began = performance.now();
    await pause(quietFor);
    isQuiet = !came && performance.now() - began < quietFor + latestBy;
  }
  server.off('connection', notice);
}

/** Stops accepting connections immediately, and resolves when the last one has ended. */
export async function closeDoor(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
