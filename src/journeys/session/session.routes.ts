import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { csrf, logout, refresh } from '../../contract/session.ts';
import { clearSessionCookies } from '../../http/cookies.ts';
import { ensureCsrf, renewCsrf } from '../../http/csrf.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { grantSession } from '../../http/grant-session.ts';
import { mountOn } from '../../http/mount.ts';
import { refreshSession, type SessionDeps, signOut } from './session.ts';

export type SessionRoutesDeps = HttpDeps & SessionDeps;

export function sessionRoutes(app: FastifyInstance, deps: SessionRoutesDeps): void {
  const mount = mountOn(app, deps);

  mount(csrf, ({ request, reply }) => ensureCsrf(deps, request, reply));

  mount(refresh, async ({ request, reply, visitor }) => {
    const outcome = await refreshSession(deps, { token: request.cookies[deps.cookies.refresh], visitor });
    if (outcome.state === 'refused') {
      clearSessionCookies(reply, deps.cookies);
      renewCsrf(deps, reply, '');
      throw new Failure('session_ended', { reason: outcome.reason });
    }
    return grantSession(deps, reply, outcome);
  });

  mount(logout, async ({ request, reply, visitor }) => {
    await signOut(deps, { token: request.cookies[deps.cookies.refresh], visitor });
    clearSessionCookies(reply, deps.cookies);
    renewCsrf(deps, reply, '');
  });
}
