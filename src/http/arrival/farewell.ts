import type { FastifyInstance } from 'fastify';

/** Whether this node is about to stop: not ready any more, though it still answers whoever comes. */
export interface Farewell {
  begin(): void;
  readonly isBegun: boolean;
}

export function openFarewell(): Farewell {
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

/** Asks whoever keeps a connection to go with the answer they get (RFC 9112, section 9.6), instead of cutting it later. */
export function sayFarewell(app: FastifyInstance, farewell: Farewell): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (farewell.isBegun) reply.header('connection', 'close');
    done();
  });
}
