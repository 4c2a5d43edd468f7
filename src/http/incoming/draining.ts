import type { FastifyInstance } from 'fastify';
import { minutes } from '../../contract/durations.ts';

/** Load balancers check at least twice in this time; the default of AWS is every 30 seconds. */
const watchedWithin = minutes(2);

/** Whether this node is about to stop: it reports that it is not ready, but still responds to every request. */
export interface Draining {
  begin(): void;
  readonly isBegun: boolean;
  /** Records that something asked whether this node is ready. */
  noticeCheck(): void;
  /** Whether something asks regularly, such as a load balancer: it then learns that this node is about to stop. */
  isWatched(): boolean;
}

/** `elapsed` is in milliseconds, since any moment. */
export function openDraining(elapsed: () => number = () => performance.now()): Draining {
  let isBegun = false;
  let checks: readonly number[] = [];
  return {
    begin: () => {
      isBegun = true;
    },
    get isBegun() {
      return isBegun;
    },
    noticeCheck: () => {
      checks = [...checks.slice(-1), elapsed()];
    },
    // One check may be a person, or a script that waits for the start.
    isWatched: () => checks.filter((at) => elapsed() - at < watchedWithin).length > 1,
  };
}

/** Asks clients to close their connection after the response (RFC 9112, section 9.6), instead of cutting it later. */
export function closeConnectionsWhileDraining(app: FastifyInstance, draining: Draining): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (draining.isBegun) reply.header('connection', 'close');
    done();
  });
}
