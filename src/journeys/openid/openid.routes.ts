import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { pathIn } from '../../contract/languages.ts';
import { mountOn, runScheduled } from '../../http/mount.ts';
import { countStoredRequest } from '../../http/rate-limits/rate-limiter.ts';
import { openNegotiation } from '../../http/responses/negotiation.ts';
import { requireStepUp } from '../../http/session/authentication.ts';
import { refreshTokenOf } from '../../http/session/browser.ts';
import { clearSessionCookies } from '../../http/session/cookies.ts';
import { renewCsrf } from '../../http/session/csrf.ts';
import { signOut } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './connect/connect.contract.ts';
import { signOutForApp } from './connect/connect.contract.ts';
import { appsOf, decideRequest, describeApp, describeRequest, describeStep, disconnect } from './connect/connect.ts';
import { decideDevice, describeDevice } from './connect/device-authorization.ts';
import { judgeLogout, logoutTarget } from './logout/end-session.ts';
import { signedInBrowser } from './provider/claims.ts';
import { rememberBrowserOf } from './provider/client-authentication.ts';
import { currentProvider, interactionCookie, resumeCookie, sessionCookie } from './provider/open-provider.ts';

/** The endpoints of the provider. Everything else under `/oidc/` is ours or 404. */
const paths = [
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/oidc/auth'],
  ['GET', '/oidc/auth/:uid([\\w-]+)'],
  ['POST', '/oidc/token'],
  ['GET', '/oidc/me'],
  ['POST', '/oidc/me'],
  ['POST', '/oidc/introspection'],
  ['POST', '/oidc/revocation'],
  ['POST', '/oidc/device'],
  ['POST', '/oidc/par'],
] as const;

/** Requests from other origins that browsers announce first (CORS). */
const announced = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/oidc/token',
  '/oidc/me',
  '/oidc/introspection',
  '/oidc/revocation',
  '/oidc/device',
  '/oidc/par',
];

/** Each begins something that stays until it expires: a request of an application, a device code, a pushed request. */
const beginsSomething: ReadonlySet<string | undefined> = new Set(['/oidc/auth', '/oidc/device', '/oidc/par']);

/** The library's cookies that browsers have: each binds a request to the browser that began it. */
const ownCookies: ReadonlySet<string> = new Set([interactionCookie, resumeCookie]);

/** OpenID Connect for other applications: the library behind our sessions, limits and headers, and our own pages. */
export function openIdRoutes(app: FastifyInstance, service: Service): void {
  connectRoutes(app, service);
  endSessionRoute(app, service);
  const { wantedLanguage } = openNegotiation();
  const openCurrent = currentProvider(service);

  app.register(async (scope) => {
    // The library reads the raw body, with its own limit.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    for (const [method, url] of paths) scope.route({ method, url, handler: handOver });
    for (const url of announced) scope.route({ method: 'OPTIONS', url, handler: handOver });
  });

  async function handOver(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const named = refreshTokenOf(service, request);
    const { url } = request.routeOptions;
    // Programs have no session.
    const sessionId = url === '/oidc/auth' ? named?.sessionId : undefined;
    if (beginsSomething.has(url)) countStoredRequest(service.openIdBeginnings, { sessionId, visitor: request.visitor });
    const handle = async () => {
      const provider = await openCurrent();
      if (!provider) throw new Failure('not_found');
      // An old copy of a refresh cookie names no session.
      const live = (await signedInBrowser(service, named))?.session.id;
      rememberBrowserOf(request.raw, {
        sessionId: live,
        language: wantedLanguage(request),
        visitor: request.visitor,
      });
      hideOwnHeaders(request, live);
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      keepSessionCookieOut(reply.raw);
      reply.raw.setHeader('cache-control', 'no-store');
      await provider.callback()(request.raw, reply.raw);
    };
    // The library reads the body itself, and a slow client must not keep others waiting.
    const hasBody = request.method === 'POST';
    await runScheduled(service, request, () =>
      hasBody ? handle() : service.openIdRequests.run({ from: request.visitor }, handle),
    );
    return reply;
  }

  /** The library takes its URLs from headers: it gets those of our settings, and only our own session. */
  function hideOwnHeaders({ raw, cookies }: FastifyRequest, sessionId: string | undefined): void {
    const { host, protocol } = new URL(service.config.PUBLIC_URL);
    delete raw.headers['x-forwarded-host'];
    raw.headers.host = host;
    raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    // Written anew, because the library may find another cookie in the browser's header, such as a session of our own.
    const others = Object.entries(cookies).filter(
      ([name, value]) => ownCookies.has(name) && value !== undefined && /^[\w-]+$/.test(value),
    );
    const known = [...others, ...(sessionId === undefined ? [] : [[sessionCookie, sessionId] as const])];
    raw.headers.cookie = known.map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** The id of our session must not reach a browser, in which scripts of other tools could read it. */
function keepSessionCookieOut(response: ServerResponse): void {
  const set = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== 'set-cookie') return set(name, value);
    const kept = [value]
      .flat()
      .map(String)
      .filter((line) => !line.startsWith(`${sessionCookie}=`));
    if (kept.length > 0) return set(name, kept);
    response.removeHeader(name);
    return response;
  };
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
