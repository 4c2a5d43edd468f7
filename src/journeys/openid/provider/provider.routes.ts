import { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../contract/failures.ts';
import { runScheduled } from '../../../http/mount.ts';
import { countStoredRequest } from '../../../http/rate-limits/rate-limiter.ts';
import { openNegotiation } from '../../../http/responses/negotiation.ts';
import { refreshTokenOf } from '../../../http/session/browser.ts';
import { addToRequestLog } from '../../../http/telemetry/request-log.ts';
import type { Service } from '../../../server/service.ts';
import { type Answer, keepRefusal } from './answer.ts';
import { signedInBrowser } from './claims.ts';
import { rememberBrowserOf } from './client-authentication.ts';
import { currentProvider, interactionCookie, resumeCookie, sessionCookie } from './open-provider.ts';

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

/** The library's cookies that browsers have: each binds a request to the browser that began it. */
const ownCookies: ReadonlySet<string> = new Set([interactionCookie, resumeCookie]);

/** The library behind our sessions, limits, headers and telemetry: it answers into a response that we send. */
export function providerRoutes(app: FastifyInstance, service: Service): void {
  const { wantedLanguage } = openNegotiation();
  const openCurrent = currentProvider(service);

  app.register(async (scope) => {
    // The library reads the raw body, with its own limit.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    for (const [method, url] of paths)
      scope.route({ method, url, config: { isPage: url.startsWith('/oidc/auth') }, handler: handOver });
    for (const url of announced) scope.route({ method: 'OPTIONS', url, handler: handOver });
  });

  async function handOver(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const named = refreshTokenOf(service, request);
    if (request.routeOptions.url === '/oidc/auth') admitBeginning(request, named?.sessionId);
    const handle = async () => {
      const provider = await openCurrent();
      if (!provider) throw new Failure('not_found');
      // An old copy of a refresh cookie names no session.
      const signedIn = await signedInBrowser(service, named);
      rememberBrowserOf(request.raw, {
        signedIn,
        language: wantedLanguage(request),
        visitor: request.visitor,
        reference: request.id,
      });
      hideOwnHeaders(request, signedIn?.session.id);
      const response = new ServerResponse(request.raw);
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) response.setHeader(name, value);
      const answer = await provider(request.raw, response);
      await report(service, request, answer);
      return { response, answer };
    };
    // The library reads the body itself, and a slow client must not keep others waiting.
    const hasBody = request.method === 'POST';
    const { response, answer } = await runScheduled(service, request, () =>
      hasBody ? handle() : service.openIdRequests.run({ from: request.visitor }, handle),
    );
    return send(reply, response, answer);
  }

  /**
   * Only a person who opens the address begins something. In a page of another site, such as as an image, it must neither
   * store anything nor use up the share of an address; without a page of ours, an application may ask in a frame.
   */
  function admitBeginning({ headers, query, visitor }: FastifyRequest, sessionId: string | undefined): void {
    const destination = headers['sec-fetch-dest'] ?? 'document';
    const isSilent = destination === 'iframe' && (query as Record<string, unknown>).prompt === 'none';
    if (destination !== 'document' && !isSilent) throw new Failure('csrf_failed');
    if (sessionId !== undefined)
      countStoredRequest(service.openIdBeginningsOfSession, { source: sessionId, networks: [] });
    else if (!isSilent) service.openIdBeginnings.admit(visitor);
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

/** Adds an answer to the line of its request, and keeps a refusal for `vestibule clients why`. */
export async function report(
  service: Service,
  request: FastifyRequest,
  { client, account, refusal }: Pick<Answer, 'client' | 'account' | 'refusal'>,
): Promise<void> {
  addToRequestLog(request, { client, account });
  if (!refusal) return;
  const { code, reason, explanation, value } = refusal;
  addToRequestLog(request, { code, reason, detail: [explanation, value].filter(Boolean).join('; ') });
  const { routeOptions, id: reference } = request;
  if (client !== undefined) await keepRefusal(service, { client, refusal, route: routeOptions.url ?? '', reference });
}

function send(reply: FastifyReply, response: ServerResponse, { status, body }: Answer): FastifyReply {
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value === undefined || name === 'content-length' || name === 'set-cookie') continue;
    reply.header(name, value);
  }
  // The id of our session must not reach a browser, in which scripts of other tools could read it.
  const cookies = [response.getHeader('set-cookie') ?? []].flat().map(String);
  const kept = cookies.filter((line) => !line.startsWith(`${sessionCookie}=`));
  if (kept.length > 0) reply.header('set-cookie', kept);
  reply.code(status);
  if (!response.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  // Clients parse a response by its type, and the response to a revocation is empty (RFC 7009, section 2.2).
  if (body === '') return reply.removeHeader('content-type').send();
  return reply.send(body);
}
