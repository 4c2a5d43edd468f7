import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { cookieLifetime, csrfCookie, isLoopbackHost } from '../../contract/pages.ts';
import { equal } from '../../security/macs.ts';
import { isCsrfToken, writeCsrfToken } from '../../security/tokens.ts';
import type { Service } from '../../server/service.ts';
import { sessionOfCookie } from './browser.ts';

/** The session that a browser's CSRF token is bound to; empty without one. */
const boundSession = (service: Service, request: FastifyRequest): string => sessionOfCookie(service, request) ?? '';

/** Sets a CSRF token for a session; an empty id stands for a browser without one. */
export function renewCsrf(service: Service, reply: FastifyReply, session: string): void {
  const value = writeCsrfToken(service.keyring.csrf[0] as Buffer, session);
  service.cookies.show(reply, { name: csrfCookie, value, lifetime: cookieLifetime });
}

/** Makes the browser forget its session, which has ended. */
export function forgetSession(service: Service, reply: FastifyReply): void {
  service.cookies.clearSession(reply);
  renewCsrf(service, reply, '');
}

/**
 * Every value of the CSRF cookie: an application on a sibling or parent domain can set one of the same name, which a
 * browser sends first if its path is longer (RFC 6265, section 5.4).
 */
function csrfTokensOf(request: FastifyRequest): string[] {
  const cookies = request.headers.cookie;
  const start = `${csrfCookie}=`;
  const pairs = cookies?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
}

/** Cookies that are verified for a page. Foreign ones must not cost it time. */
const maxVerified = 5;

/** Sets a CSRF token unless the browser has one that is still valid. */
export function ensureCsrf(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  const session = boundSession(service, request);
  const isValid = (token: string) => isCsrfToken(service.keyring.csrf, { token, session });
  if (!csrfTokensOf(request).slice(0, maxVerified).some(isValid)) renewCsrf(service, reply, session);
}

/**
 * Throws `csrf_failed` for a request that a foreign page may have caused. Checks Fetch Metadata and Origin, then the
 * double-submit token: it must equal a cookie, carry our signature, and belong to the session of the refresh cookie.
 */
export function requireCsrf(service: Service, request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Failure('csrf_failed');
  const origin = request.headers.origin;
  if (origin !== undefined && origin !== service.config.PUBLIC_URL && !isOwnLoopback(service, origin, request)) {
    throw new Failure('csrf_failed');
  }
  const token = request.headers['x-csrf-token'];
  if (typeof token !== 'string') throw new Failure('csrf_failed');
  const isSame = (cookie: string) => equal(Buffer.from(token), Buffer.from(cookie));
  if (!csrfTokensOf(request).some(isSame)) throw new Failure('csrf_failed');
  if (!isCsrfToken(service.keyring.csrf, { token, session: boundSession(service, request) })) {
    throw new Failure('csrf_failed');
  }
}

/** The verified token: what the browser has that opens a link from an email without a session. */
export const csrfTokenOf = (request: FastifyRequest): string | undefined => {
  const token = request.headers['x-csrf-token'];
  return typeof token === 'string' ? token : undefined;
};

/** On a developer's machine, `localhost` and `127.0.0.1` are the same service: there the request's own host counts. */
function isOwnLoopback(service: Service, origin: string, request: FastifyRequest): boolean {
  const isLoopback = (url: string) => isLoopbackHost(URL.parse(url)?.hostname ?? '');
  return isLoopback(service.config.PUBLIC_URL) && isLoopback(origin) && origin === `http://${request.headers.host}`;
}
