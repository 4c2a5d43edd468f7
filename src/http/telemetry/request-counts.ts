import type { FastifyInstance } from 'fastify';
import { rangeOf } from '../../contract/statistics.ts';
import type { Counters } from '../../store/operators/statistics.ts';

const signIns = ['/auth/login', '/auth/code/login', '/auth/passkeys/login', '/auth/second-step'];
/** A first step that needs another one is no refusal. */
const notRefused = ['second_step_required'];

/** Counts the response times of requests to the API, and refused sign-ins by code, for operators. */
export function countRequests(app: FastifyInstance, { count }: Pick<Counters, 'count'>): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const route = request.routeOptions.url ?? '';
    const code = request.logFields?.code;
    if (/^\/(?:auth|account|additionally|computers|oidc|operators)\//.test(route))
      count('response_times', rangeOf(reply.elapsedTime));
    if (code !== undefined && signIns.includes(route) && !notRefused.includes(code))
      count('sign_ins', `refused ${code}`);
    done();
  });
}
