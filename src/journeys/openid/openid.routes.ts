import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { openNegotiation } from '../../http/encoding/negotiation.ts';
import { countStoredRequest } from '../../http/rate-limits/count-stored-request.ts';
import { runScheduled } from '../../http/run-scheduled.ts';
import { refreshTokenOf } from '../../http/session/browser.ts';
import type { Service } from '../../server/service.ts';
import { connectRoutes } from './connect/connect.routes.ts';
import { endSessionRoute } from './logout/end-session.routes.ts';
import { signedInBrowser } from './provider/authentication.ts';
import { describeRequest } from './provider/browser-request.ts';
import { currentProvider } from './provider/current-provider.ts';
import { interactionCookie, resumeCookie, sessionCookie } from './provider/open-provider.ts';

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
      describeRequest(request.raw, {
        sessionId: live,
        language: wantedLanguage(request),
        source: request.visitor.source,
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
