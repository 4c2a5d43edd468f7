import type { FastifyInstance } from 'fastify';
import { minutes } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import { keepReference } from '../../store/operators/error-references.ts';
import { openRateLimiter } from '../rate-limits/rate-limiter.ts';
import { sessionOfCookie } from '../session/browser.ts';

/** In an outage, everyone sees one. */
const keptPerMinute = 60;

/** Keeps who saw the reference of an error, so that operators find the person by it. */
export function keepReferences(app: FastifyInstance, service: Service): void {
  const limit = openRateLimiter({ limit: keptPerMinute, within: minutes(1), now: service.now });
  const node = { source: '', networks: [] };
  app.addHook('onResponse', async (request, reply) => {
    const location = String(reply.getHeader('location') ?? '');
    if (reply.statusCode !== 500 && !location.includes(`reference=${request.id}`)) return;
    const sessionId = request.logFields?.session ?? sessionOfCookie(service, request);
    if (sessionId === undefined) return;
    if (limit.wait(node) > 0) return;
    limit.count(node);
    // The log has it, too.
    await keepReference(service.store, { reference: request.id, sessionId, at: service.now() }).catch(() => undefined);
  });
}
