import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { clearSessionCookies } from '../../http/cookies.ts';
import { ensureCsrf, renewCsrf } from '../../http/csrf.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { grantSession } from '../../http/grant-session.ts';
import { mount } from '../../http/mount.ts';
import { csrf, logout, refresh } from './session.contract.ts';
import { refreshSession, type SessionDeps, signOut } from './session.ts';

export type SessionRoutesDeps = HttpDeps & SessionDeps;

export function sessionRoutes(app: FastifyInstance, deps: SessionRoutesDeps): void {
  mount(app, deps, csrf, ({ request, reply }) => ensureCsrf(deps, request, reply));

  mount(app, deps, refresh, async ({ request, reply, visitor }) => {
    const outcome = await refreshSession(deps, { token: request.cookies[deps.cookies.refresh], visitor });
    if (outcome.state === 'refused') {
      clearSessionCookies(reply, deps.cookies);
      renewCsrf(deps, reply, '');
      throw new Failure('session_ended', { reason: outcome.reason });
    }
    return grantSession(deps, reply, outcome);
  });

  mount(app, deps, logout, async ({ request, reply, visitor }) => {
    await signOut(deps, { token: request.cookies[deps.cookies.refresh], visitor });
    clearSessionCookies(reply, deps.cookies);
    renewCsrf(deps, reply, '');
  });
}
