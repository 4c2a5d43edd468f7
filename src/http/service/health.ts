import type { FastifyInstance } from 'fastify';
import { refuse } from '../../contract/refuse.ts';
import * as contract from '../../contract/service/health.ts';
import type { Service } from '../../server/service.ts';
import { mountOn } from '../mount.ts';
import { missingForWork } from './readiness.ts';

/** Liveness and readiness, for load balancers and orchestrators. */
export function healthRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.alive, () => ({ status: 'alive' as const }));

  mount(contract.ready, async ({ request }) => {
    service.draining.noticeCheck();
    const missing = await missingForWork(service);
    if (missing.length === 0) return { status: 'ready' as const };
    request.log.warn({ missing }, 'not ready');
    throw refuse(contract.ready, 'try_again_later', { retryAfter: 2 });
  });
}
