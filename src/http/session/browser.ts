import { createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csrfCookie } from '../../contract/pages.ts';
import { randomSecret, sha256 } from '../../security/macs.ts';
import { readRefreshToken } from '../../security/tokens.ts';
import type { Service } from '../../server/service.ts';

/** The browser behind a request, as `admit` expects it: visitor, known-device cookie, and its former session. */
export const browserOf = (
  service: Service,
  request: FastifyRequest,
  { shared }: { readonly shared?: boolean | undefined } = {},
) => ({
  visitor: request.visitor,
  deviceToken: service.cookies.read(request, 'device'),
  formerSession: refreshTokenOf(service, request),
  shared,
});

/** The session that the refresh cookie names, live or ended; undefined without a cookie that we signed. */
export const sessionOfCookie = (service: Service, request: FastifyRequest): string | undefined =>
  refreshTokenOf(service, request)?.sessionId;

/** The session that the refresh cookie names, and the generation of the cookie. */
export const refreshTokenOf = ({ keyring, cookies }: Service, request: FastifyRequest) =>
  readRefreshToken(keyring.refreshTokens, cookies.refreshToken(request) ?? '');

/**
 * The secret that binds challenges to this browser; sets its cookie if it has none. Tabs that first request a challenge
 * together get the same secret, derived from the CSRF token that they share: with two, the earlier challenge would be
 * lost.
 */
export function ensurePasskeyCookie(service: Service, request: FastifyRequest, reply: FastifyReply): string {
  const known = service.cookies.read(request, 'passkeys');
  if (known !== undefined) return known;
  const token = request.cookies[csrfCookie] ?? '';
  const secret = createHmac('sha256', service.keyring.csrf[0] as Buffer)
    .update(`passkeys!${token}`)
    .digest('base64url');
  service.cookies.set(reply, 'passkeys', secret);
  return secret;
}

/** Marks a browser with a cookie and returns its SHA-256: waits belong to a browser, because addresses are shared. */
export function markPhoneBrowser({ cookies }: Service, request: FastifyRequest, reply: FastifyReply): string {
  const secret = cookies.read(request, 'phone_call') ?? randomSecret(256);
  cookies.set(reply, 'phone_call', secret);
  return sha256(secret);
}
