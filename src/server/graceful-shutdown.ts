import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { seconds } from '../contract/units.ts';
import type { Service } from './service.ts';

/** Time for proxies, which check readiness every second or two, to route around this node. */
const proxyDelay = seconds(3);
/** For requests in progress: one that places a call waits up to 4.5 seconds for its providers, others much shorter. */
const responseTimeout = seconds(4.8);
/** Includes the pause, the time for responses, and the end of the database; service managers kill after ten seconds. */
const endsWithin = seconds(9.5);

interface ShutdownOptions {
  readonly app: FastifyInstance;
  readonly service: Service;
  /** Ends anything else that must stop. */
  end(): Promise<unknown>;
}

/**
 * Stops a node without failed requests: it becomes unready and asks clients to disconnect, then stops accepting
 * connections, then finishes. Ends the process within ten seconds, whatever clients, mail server and database do.
 */
export async function stopNode({ app, service, end }: ShutdownOptions): Promise<void> {
  setTimeout(() => {
    app.log.warn('shutdown timed out; unfinished work will be retried');
    process.exit();
  }, endsWithin).unref();
  service.draining.begin();
  service.outbox.announceStop();
  // A proxy that does not check readiness learns nothing from the pause; a developer's machine has none in front.
  if (service.config.NODE_ENV === 'production' && service.draining.isWatched()) await pause(proxyDelay);
  await waitForQuietMoment(app.server);
  app.log.info('accepting no more connections');
  const cut = setTimeout(() => app.server.closeAllConnections(), responseTimeout).unref();
  // Close the listener first, in the same tick: the rest of app.close() takes several.
  await Promise.all([stopAccepting(app.server), app.close(), service.outbox.stop(), service.webhooks.stop(), end()]);
  clearTimeout(cut);
  await service.close();
}

/** Milliseconds without a new connection. */
const quietTime = 10;
/** Tolerated delay (ms) of this process itself: during a longer one, unseen connections may have arrived. */
const tolerance = 5;
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
  const deadline = performance.now() + patience;
  let isQuiet = false;
  while (!isQuiet && performance.now() < deadline) {
    came = false;
    const began = performance.now();
    await pause(quietTime);
    isQuiet = !came && performance.now() - began < quietTime + tolerance;
  }
  server.off('connection', notice);
}

/** Stops accepting connections immediately, and resolves when the last one has ended. */
export async function stopAccepting(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
