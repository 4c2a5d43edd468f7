import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { guardPath, returnParameter } from '../../contract/pages.ts';
import { minutes } from '../../contract/units.ts';
import { runScheduled } from '../../http/mount.ts';
import { countStoredRequest } from '../../http/rate-limits/rate-limiter.ts';
import { sessionOfCookie } from '../../http/session/browser.ts';
import { signOutSession } from '../../http/session/grant-session.ts';
import { addToRequestLog } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/service.ts';
import { noIdentity, openAccessDecisions, type PresentedCookie } from './access-decisions.ts';
import { enter, finish, newNonce, placeOn, protectedOrigins, signInAddress, startAddress } from './forward-auth.ts';

type Client = PresentedCookie['client'];
type CheckRequest = FastifyRequest<{ Params: { client: string }; Querystring: Record<string, unknown> }>;

/** The guard for applications without a login protocol: nginx `auth_request`, Caddy `forward_auth`, Traefik. */
export function forwardAuthRoutes(app: FastifyInstance, service: Service): void {
  const decisions = openAccessDecisions(service);

  const clientOf = async (id: string, { visitor }: FastifyRequest): Promise<Client> => {
    const client = await decisions.client(id, visitor);
    if (!client || protectedOrigins(client).length === 0) throw new Failure('not_found');
    return client;
  };

  app.get('/forward-auth/:client', async (request: CheckRequest, reply) => {
    const client = await clientOf(request.params.client, request);
    const origin = originOf(client, request);
    reply.header('cache-control', 'no-store');
    if (origin === undefined) return reply.code(403).send();
    const presented: PresentedCookie = { client, origin, text: cookieOf(request, origin, 'session') ?? '' };
    const decision = await decisions.check(presented, request.visitor);
    if (typeof decision === 'object') return reply.code(204).headers(decision).send();
    reply.headers(noIdentity);
    if (decision === 'noAccess' && !isNavigation(request)) return reply.code(403).send();
    if (!isNavigation(request)) return reply.code(401).send();
    const place = placeOn(origin, forwarded(request, 'x-forwarded-uri'));
    reply.header('location', startAddress({ client: client.id, origin, place }));
    return reply.code(request.query.redirect === '302' ? 302 : 401).send();
  });

  app.get('/forward-auth/:client/sign-in', { config: { isPage: true } }, async (request: CheckRequest, reply) => {
    const state = text(request.query.state);
    const { client: clientId } = request.params;
    const sessionId = sessionOfCookie(service, request);
    // Each entrance stores a code.
    if (sessionId !== undefined)
      countStoredRequest(service.openIdBeginningsOfSession, { source: sessionId, networks: [] });
    const token = service.cookies.refreshToken(request);
    const entrance = await runScheduled(service, request, () => enter(service, decisions, { clientId, state, token }));
    if (entrance === 'invalid') throw new Failure('not_found');
    if (entrance === 'noAccess') return redirect(reply, `/no-access/?client=${encodeURIComponent(clientId)}`);
    if (entrance !== 'signedOut') return redirect(reply, entrance.to);
    const back = `/forward-auth/${encodeURIComponent(clientId)}/sign-in?state=${state}`;
    return redirect(reply, `/?${new URLSearchParams({ [returnParameter]: back })}`);
  });

  // The rest is on the hosts of applications, whose proxies pass these paths on.

  app.get(`${guardPath}start`, async (request: CheckRequest, reply) => {
    const client = await clientOf(text(request.query.client), request);
    const origin = requireOrigin(client, request);
    // Several tabs may begin at the same time, so they share the cookie.
    const nonce = cookieOf(request, origin, 'nonce') ?? newNonce();
    setCookie(reply, origin, { kind: 'nonce', value: nonce, lifetime: minutes(130) });
    const place = placeOn(origin, text(request.query.place));
    return redirect(reply, signInAddress(service, { client: client.id, origin, place, nonce }));
  });

  app.get(`${guardPath}callback`, async (request: CheckRequest, reply) => {
    const origin = requestOrigin(request);
    const nonce = cookieOf(request, origin, 'nonce');
    const returned = { origin, nonce, code: text(request.query.code), state: text(request.query.state) };
    const finished = await runScheduled(service, request, () => finish(service, returned));
    if (!finished) {
      if (!isNavigation(request)) throw new Failure('csrf_failed');
      addToRequestLog(request, { code: 'csrf_failed' });
      const query = new URLSearchParams({ reference: request.id });
      return redirect(reply, `${service.config.PUBLIC_URL}/connect/failed/?${query}`);
    }
    setCookie(reply, origin, { kind: 'session', value: finished.cookie });
    return redirect(reply, origin + finished.place);
  });

  app.get(`${guardPath}sign-out`, async (request: CheckRequest, reply) => {
    const client = await clientOf(text(request.query.client), request);
    const origin = requireOrigin(client, request);
    // Anything else, such as an image in a page that a visitor wrote, leads to our page, which asks.
    if (!isClickedLink(request))
      return redirect(reply, `${service.config.PUBLIC_URL}/sign-out/?${new URLSearchParams({ client_id: client.id })}`);
    const presented: PresentedCookie = { client, origin, text: cookieOf(request, origin, 'session') ?? '' };
    const sessionId = decisions.sessionIn(presented);
    const { visitor } = request;
    if (sessionId !== undefined)
      await runScheduled(service, request, () => signOutSession(service, { sessionId, visitor }));
    setCookie(reply, origin, { kind: 'session', value: '', lifetime: 0 });
    return redirect(reply, `${service.config.PUBLIC_URL}/`);
  });
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function redirect(reply: FastifyReply, to: string): FastifyReply {
  return reply.code(302).header('cache-control', 'no-store').header('location', to).send();
}

/** From `X-Forwarded-Proto` and `X-Forwarded-Host`, which Fastify reads only from TRUSTED_PROXIES. */
const requestOrigin = ({ protocol, host }: FastifyRequest): string => URL.parse(`${protocol}://${host}`)?.origin ?? '';

/** The protected origin that a request is for; a client with a single one needs no forwarded headers. */
function originOf(client: Client, request: FastifyRequest): string | undefined {
  const origins = protectedOrigins(client);
  const origin = requestOrigin(request);
  if (origins.includes(origin)) return origin;
  return origins.length === 1 ? origins[0] : undefined;
}

/** Cookies are only set on the host itself. */
function requireOrigin(client: Client, request: FastifyRequest): string {
  const origin = requestOrigin(request);
  if (!protectedOrigins(client).includes(origin)) throw new Failure('not_found');
  return origin;
}

/** A header of the request that the application's proxy checks; undefined unless a trusted proxy sent it. */
function forwarded(request: FastifyRequest, name: string): string | undefined {
  const isTrusted = request.ips !== undefined && request.ips.length > 1;
  const value = request.headers[name];
  return isTrusted && typeof value === 'string' ? value : undefined;
}

/** Whether a person opens a page; programs and WebSockets cannot follow a redirect to a sign-in. */
function isNavigation(request: FastifyRequest): boolean {
  const { headers } = request;
  const method = forwarded(request, 'x-forwarded-method') ?? 'GET';
  if ((method !== 'GET' && method !== 'HEAD') || headers.upgrade !== undefined) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === 'navigate' || (mode === undefined && headers.accept?.includes('text/html') === true);
}

/** Whether a person followed a link of the application itself (W3C Fetch Metadata). Old browsers do not say. */
const isClickedLink = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'same-origin' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document' &&
  headers['sec-fetch-user'] === '?1' &&
  headers['sec-purpose'] === undefined;

/** Browsers send the cookies of a host to all of its ports, so each port has names of its own. */
function cookieName(origin: string, kind: 'session' | 'nonce'): string {
  const port = URL.parse(origin)?.port;
  return `${origin.startsWith('https:') ? '__Host-' : ''}vestibule_${kind}${port ? `_${port}` : ''}`;
}

function cookieOf(request: FastifyRequest, origin: string, kind: 'session' | 'nonce'): string | undefined {
  const value = request.cookies[cookieName(origin, kind)];
  return kind === 'session' || (value !== undefined && /^[\w-]{43}$/.test(value)) ? value : undefined;
}

interface NewCookie {
  readonly kind: 'session' | 'nonce';
  readonly value: string;
  /** Milliseconds; until the browser closes if undefined. */
  readonly lifetime?: number;
}

function setCookie(reply: FastifyReply, origin: string, { kind, value, lifetime }: NewCookie): void {
  reply.setCookie(cookieName(origin, kind), value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: origin.startsWith('https:'),
    ...(lifetime !== undefined && { maxAge: lifetime / 1000 }),
  });
}
