import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathIn } from '../../../contract/languages.ts';
import { openNegotiation } from '../../../http/encoding/negotiation.ts';
import { mountOn } from '../../../http/mount.ts';
import { runScheduled } from '../../../http/run-scheduled.ts';
import { refreshTokenOf } from '../../../http/session/browser.ts';
import { clearSessionCookies } from '../../../http/session/cookies.ts';
import { renewCsrf } from '../../../http/session/csrf.ts';
import { signOut } from '../../../http/session/sign-out.ts';
import type { Service } from '../../../server/service.ts';
import { signOutForApp } from '../connect/connect.contract.ts';
import { judgeLogout } from './end-session.ts';
import { logoutTarget } from './logout-target.ts';

const longestForm = 16 * 1024;

/** RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0): an application signs its user out here. */
export function endSessionRoute(app: FastifyInstance, service: Service): void {
  const { wantedLanguage } = openNegotiation();
  const mount = mountOn(app, service);

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const read = { parseAs: 'string', bodyLimit: longestForm } as const;
    scope.addContentTypeParser('application/x-www-form-urlencoded', read, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.get('/oidc/end-session', (request, reply) => endSession(request, reply, request.query));
    scope.post('/oidc/end-session', (request, reply) => endSession(request, reply, request.body ?? {}));
  });

  async function endSession(request: FastifyRequest, reply: FastifyReply, parameters: unknown) {
    reply.header('cache-control', 'no-store');
    return runScheduled(service, request, async () => {
      const session = refreshTokenOf(service, request);
      const given = onlyTexts(parameters);
      const verdict = await judgeLogout(service, { given, session });
      if (verdict.state === 'end') {
        await signOut(service, { named: session, visitor: request.visitor });
        clearSessionCookies(reply, service.cookies);
        renewCsrf(service, reply, '');
      }
      if (verdict.state !== 'ask' && verdict.state !== 'invalid' && verdict.to !== undefined)
        return reply.code(303).header('location', verdict.to).send();
      const page = pathIn(wantedLanguage(request), '/sign-out/');
      const query = new URLSearchParams(
        verdict.state === 'ask' ? verdict.query : { [verdict.state === 'invalid' ? 'error' : 'done']: '1' },
      );
      return reply.code(303).header('location', `${page}?${query}`).send();
    });
  }

  mount(signOutForApp, async ({ request, reply, body, visitor }) => {
    await signOut(service, { named: refreshTokenOf(service, request), visitor });
    clearSessionCookies(reply, service.cookies);
    renewCsrf(service, reply, '');
    const { client_id: clientId, post_logout_redirect_uri: uri, state } = body;
    const target = await logoutTarget(service, { clientId, uri, state });
    return { to: target?.to ?? null };
  });
}

/** A parameter without a value counts as absent (RFC 6749, section 3.1). One that is sent twice is an array. */
const onlyTexts = (parameters: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries((parameters ?? {}) as Record<string, unknown>).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '',
    ),
  );
