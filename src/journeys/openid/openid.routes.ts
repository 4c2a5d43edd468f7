import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { openNegotiation } from '../../http/negotiation.ts';
import { runScheduled } from '../../http/run-scheduled.ts';
import { refreshTokenOf } from '../../http/session/browser.ts';
import type { Service } from '../../server/service.ts';
import { connectRoutes } from './connect/connect.routes.ts';
import { endSessionRoute } from './logout/end-session.routes.ts';
import { describeRequest } from './provider/browser-request.ts';
import { currentProvider } from './provider/current-provider.ts';
import { sessionCookie } from './provider/open-provider.ts';

/** What the provider serves. Everything else under `/oidc/` is ours or 404. */
const paths = [
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/oidc/auth'],
  ['GET', '/oidc/auth/:uid'],
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

/** Each begins something that stays until it expires: a request without a session, a device code, a pushed request. */
const beginsSomething = /^\/oidc\/(?:auth|device|par)$/;

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
    const session = refreshTokenOf(service, request);
    const uncount = countBeginning(request, session?.sessionId);
    await runScheduled(service, request, async () => {
      const provider = await openCurrent();
      if (!provider) throw new Failure('not_found');
      describeRequest(request.raw, {
        session,
        language: wantedLanguage(request),
        source: request.visitor.source,
      });
      const handle = provider.callback();
      hideOwnHeaders(request, session?.sessionId);
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      keepSessionCookieOut(reply.raw);
      reply.raw.setHeader('cache-control', 'no-store');
      await handle(request.raw, reply.raw);
      if (session && request.method === 'GET' && !waitsForPerson(reply.raw)) uncount();
    });
    return reply;
  }

  /** By address; a session has its own count, so that others behind its address cannot delay its sign-ins to applications. */
  function countBeginning(request: FastifyRequest, sessionId: string | undefined): () => void {
    const path = request.url.split('?', 1)[0] ?? '';
    if (!beginsSomething.test(path)) return () => undefined;
    const ownCount = path === '/oidc/auth' && sessionId !== undefined;
    const origin = ownCount ? { source: `session ${sessionId}`, networks: [] } : request.visitor;
    const wait = service.openIdBeginnings.wait(origin);
    if (wait > 0) throw new Failure('try_again_later', { retryAfter: Math.ceil(wait / 1000) });
    return service.openIdBeginnings.count(origin);
  }

  /** The library takes its URLs from headers: it gets those of our settings, and only our own session. */
  function hideOwnHeaders({ raw }: { raw: IncomingMessage }, sessionId: string | undefined): void {
    const { host, protocol } = new URL(service.config.PUBLIC_URL);
    delete raw.headers['x-forwarded-host'];
    raw.headers.host = host;
    raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    const others = (raw.headers.cookie ?? '')
      .split('; ')
      .filter((pair) => pair.startsWith('openid_') && !pair.startsWith(`${sessionCookie}=`));
    raw.headers.cookie = [...others, ...(sessionId === undefined ? [] : [`${sessionCookie}=${sessionId}`])].join('; ');
  }
}

/** Whether a request led to our page, which stores it until someone continues there. */
const waitsForPerson = (response: ServerResponse): boolean =>
  /\/connect\/\?request=/.test(String(response.getHeader('location')));

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
