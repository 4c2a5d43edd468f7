import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../contract/durations.ts';

/** Nobody came for so many milliseconds. */
const quietFor = 10;
/** This process may itself have been kept waiting for so many more, while others came whom it has not seen. */
const latestBy = 5;
const patience = seconds(1);

/**
 * Resolves in a moment in which nobody comes: the one to take no more connections. The kernel resets whom it has taken and
 * we have not, and a proxy cannot tell then whether a `POST` has arrived.
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

/** Takes no more connections, at once, and resolves when the last one has ended. */
export async function closeDoor(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
