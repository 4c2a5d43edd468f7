import { refuse } from '../../contract/failures.ts';
import { csrf, logout, refresh } from '../../contract/sign-in/admission.ts';
import type { Mount } from '../../http/mount.ts';
import { refreshTokenOf } from '../../http/session/browser.ts';
import { ensureCsrf, forgetSession } from '../../http/session/csrf.ts';
import { grantSession, signOut } from '../../http/session/grant-session.ts';
import { addToRequestLog } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/service.ts';
import { refreshSession } from './refresh-session.ts';

export function sessionRoutes(mount: Mount, service: Service): void {
  mount(csrf, ({ request, reply }) => ensureCsrf(service, request, reply));

  mount(refresh, async ({ request, reply, visitor }) => {
    const outcome = await refreshSession(service, { token: service.cookies.refreshToken(request), visitor });
    if (outcome.state === 'refused') {
      addToRequestLog(request, { account: outcome.accountId, session: outcome.sessionId });
      forgetSession(service, reply);
      throw refuse(refresh, 'session_ended', { reason: outcome.reason });
    }
    return grantSession(service, reply, outcome);
  });

  mount(logout, async ({ request, reply, visitor }) => {
    const ended = await signOut(service, { named: refreshTokenOf(service, request), visitor });
    addToRequestLog(request, { account: ended?.account_id, session: ended?.id });
    forgetSession(service, reply);
  });
}
