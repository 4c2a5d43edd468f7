import type { FastifyInstance } from 'fastify';
import { minutes } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import { keepReference } from '../../store/operators/error-references.ts';
import { sessionOfCookie } from '../session/browser.ts';

/** In an outage, everyone sees one. */
const keptPerMinute = 60;

/** Keeps who saw the reference of an error, so that operators find the person by it. */
export function keepReferences(app: FastifyInstance, service: Service): void {
  let minute = 0;
  let kept = 0;
  app.addHook('onResponse', async (request, reply) => {
    const location = String(reply.getHeader('location') ?? '');
    if (reply.statusCode !== 500 && !location.includes(`reference=${request.id}`)) return;
    const sessionId = request.logFields?.session ?? sessionOfCookie(service, request);
    if (sessionId === undefined) return;
    const now = service.now();
    if (Math.floor(now / minutes(1)) !== minute) [minute, kept] = [Math.floor(now / minutes(1)), 0];
    kept += 1;
    if (kept > keptPerMinute) return;
    // The log has it, too.
    await keepReference(service.store, { reference: request.id, sessionId, at: now }).catch(() => undefined);
  });
}
