import type { FastifyInstance } from 'fastify';

/** Whether this node is about to stop: it reports that it is not ready, but still responds to every request. */
export interface Draining {
  begin(): void;
  readonly isBegun: boolean;
}

export function openDraining(): Draining {
  let isBegun = false;
  return {
    begin: () => {
      isBegun = true;
    },
    get isBegun() {
      return isBegun;
    },
  };
}

/** Asks clients to close their connection after the response (RFC 9112, section 9.6), instead of cutting it later. */
export function closeConnectionsWhileDraining(app: FastifyInstance, draining: Draining): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (draining.isBegun) reply.header('connection', 'close');
    done();
  });
}
