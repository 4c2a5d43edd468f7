import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { seconds } from '../../contract/durations.ts';
import type { Service } from '../service.ts';
import { closeDoor, waitForQuietMoment } from './quiet-moment.ts';

/** Time for proxies, which check readiness every second or two, to route around this node. */
const leavesBehindProxy = seconds(3);
/** For requests in progress: one that places a call waits up to 4.5 seconds for its providers, others much shorter. */
const answersWithin = seconds(4.8);
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
  if (service.config.NODE_ENV === 'production' && service.draining.isWatched()) await pause(leavesBehindProxy);
  await waitForQuietMoment(app.server);
  const cut = setTimeout(() => app.server.closeAllConnections(), answersWithin).unref();
  // Close the listener first, in the same tick: the rest of app.close() takes several.
  await Promise.all([closeDoor(app.server), app.close(), service.outbox.stop(), service.webhooks.stop(), end()]);
  clearTimeout(cut);
  await service.close();
}
