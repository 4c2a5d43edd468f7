import type { FastifyInstance } from 'fastify';
import { Failure } from '../contract/failures.ts';

/** Two names in one request (RFC 9112, section 3.2): a proxy in front may have read the other one. */
export function refuseSeveralHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const names = raw.rawHeaders.filter((word, at) => at % 2 === 0 && word.toLowerCase() === 'host');
    if (names.length > 1) throw new Failure('malformed_request');
  });
}
