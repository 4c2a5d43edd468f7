import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { seconds } from '../../contract/durations.ts';
import type { Service } from '../service.ts';
import { closeDoor, waitForQuietMoment } from './quiet-moment.ts';

/** A proxy looks whether a node is ready every second or two, and goes elsewhere meanwhile. */
// mutation: proxy-sees-nothing
const leavesBehindProxy = seconds(3);
/** For requests under way, which are answered within two seconds unless their client is slow. */
const answersWithin = seconds(3);
/** What a mail server and the database may take after that; service managers kill after ten seconds. */
const endsWithin = seconds(9);

interface ShutdownOptions {
  readonly app: FastifyInstance;
  readonly service: Service;
  /** Whatever else has to end. */
  end(): Promise<void> | undefined;
}

/**
 * Stops a node so that nobody notices: first it is not ready and asks its clients to go, then it takes no more of
 * them, then it finishes. Ends the process within ten seconds, whatever clients, mail server and database do.
 */
export async function stopNode({ app, service, end }: ShutdownOptions): Promise<void> {
  setTimeout(() => {
    app.log.warn('not everything ended in time; what was under way is tried again');
    process.exit();
  }, endsWithin).unref();
  service.draining.begin();
  // Nobody waits in front of a developer's machine.
  if (service.config.NODE_ENV === 'production') await pause(leavesBehindProxy);
  await waitForQuietMoment(app.server);
  const cut = setTimeout(() => app.server.closeAllConnections(), answersWithin).unref();
  // At once and before all else that the app has to close, which is not done in one turn.
  await Promise.all([closeDoor(app.server), app.close(), service.outbox.stop(), end()]);
  clearTimeout(cut);
  await service.close();
}
