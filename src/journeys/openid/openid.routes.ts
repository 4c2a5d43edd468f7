import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathIn } from '../../contract/languages.ts';
import { mountOn, runScheduled } from '../../http/mount.ts';
import { openNegotiation } from '../../http/responses/negotiation.ts';
import { requireStepUp } from '../../http/session/authentication.ts';
import { refreshTokenOf } from '../../http/session/browser.ts';
import { forgetSession } from '../../http/session/csrf.ts';
import { signOut } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './connect/connect.contract.ts';
import { signOutForApp } from './connect/connect.contract.ts';
import { appsOf, decideRequest, describeApp, describeRequest, describeStep, disconnect } from './connect/connect.ts';
import { decideDevice, describeDevice } from './connect/device-authorization.ts';
import { judgeLogout, logoutTarget } from './logout/end-session.ts';
import { providerRoutes, report } from './provider/provider.routes.ts';

/** OpenID Connect for other applications: the library behind our sessions, limits and headers, and our own pages. */
export function openIdRoutes(app: FastifyInstance, service: Service): void {
  connectRoutes(app, service);
  endSessionRoute(app, service);
  providerRoutes(app, service);
}

/** The requests of our pages about applications. */
function connectRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.readRequest, ({ params }) => describeRequest(service, params.id));
  mount(contract.readApp, ({ params }) => describeApp(service, params.id));
  mount(contract.readStep, ({ params, signedIn }) => describeStep(service, { ...signedIn, id: params.id }));
  mount(contract.decide, ({ params, signedIn, body, visitor }) =>
    decideRequest(service, { ...signedIn, id: params.id, allow: body.allow, visitor }),
  );

  mount(contract.readDevice, ({ signedIn, body, visitor }) =>
    describeDevice(service, { accountId: signedIn.accountId, userCode: body.user_code, visitor }),
  );
  mount(contract.decideDevice, async ({ signedIn, body, visitor }) => {
    // The device stays for a year, like a computer that is added. Refusing one protects the account.
    if (body.allow) await requireStepUp(service, { sensitive: true }, signedIn);
    await decideDevice(service, { ...signedIn, userCode: body.user_code, allow: body.allow, visitor });
  });

  mount(contract.listApps, ({ signedIn }) => appsOf(service, signedIn.accountId));
  mount.change(contract.disconnectApp, {}, (trx, { accountId, at, visitor }, { params }) =>
    disconnect(trx, { accountId, clientId: params.id, at, visitor }),
  );
}

const longestForm = 16 * 1024;

/** RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0): an application signs its user out here. */
function endSessionRoute(app: FastifyInstance, service: Service): void {
  const { wantedLanguage } = openNegotiation();
  const mount = mountOn(app, service);

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const read = { parseAs: 'string', bodyLimit: longestForm } as const;
    scope.addContentTypeParser('application/x-www-form-urlencoded', read, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.get('/oidc/end-session', { config: { isPage: true } }, endSession);
    // Browsers do not send our cookies with a form of another site, but with the address to which it leads.
    scope.post('/oidc/end-session', (request, reply) => {
      const location = `/oidc/end-session?${new URLSearchParams(onlyTexts(request.body))}`;
      return reply.code(303).headers({ location, 'cache-control': 'no-store' }).send();
    });
  });

  async function endSession(request: FastifyRequest, reply: FastifyReply) {
    reply.header('cache-control', 'no-store');
    return runScheduled(service, request, async () => {
      const session = refreshTokenOf(service, request);
      const sentCookies = (request.headers['sec-fetch-dest'] ?? 'document') === 'document';
      const verdict = await judgeLogout(service, { given: onlyTexts(request.query), session, sentCookies });
      if (verdict.state === 'end') {
        await signOut(service, { named: session, visitor: request.visitor });
        forgetSession(service, reply);
      }
      if (verdict.state !== 'end' && verdict.invalid) {
        const { client, ...why } = verdict.invalid;
        const refusal = { code: 'invalid_request', reason: undefined, ...why };
        await report(service, request, { client, account: undefined, refusal });
      }
      if (verdict.state !== 'ask' && verdict.to !== undefined)
        return reply.code(303).header('location', verdict.to).send();
      const page = pathIn(wantedLanguage(request), '/sign-out/');
      const query = new URLSearchParams(verdict.state === 'ask' ? verdict.query : { done: '1' });
      return reply
        .code(303)
        .header('location', query.size > 0 ? `${page}?${query}` : page)
        .send();
    });
  }

  mount(signOutForApp, async ({ request, reply, body, visitor }) => {
    await signOut(service, { named: refreshTokenOf(service, request), visitor });
    forgetSession(service, reply);
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
