import { createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csrfCookie } from '../../contract/pages/cookies.ts';
import type { Service } from '../../server/service.ts';
import { passkeySecretOf, setPasskeyCookie } from './cookies.ts';

/**
 * The secret that binds challenges to this browser; sets its cookie if it has none. Tabs that first request a challenge
 * together get the same secret, derived from the CSRF token that they share: with two, the earlier challenge would be
 * lost.
 */
export function ensurePasskeyCookie(service: Service, request: FastifyRequest, reply: FastifyReply): string {
  const known = passkeySecretOf(request, service.cookies);
  if (known !== undefined) return known;
  const token = request.cookies[csrfCookie] ?? '';
  const secret = createHmac('sha256', service.keyring.csrf[0] as Buffer)
    .update(`passkeys!${token}`)
    .digest('base64url');
  setPasskeyCookie(reply, service.cookies, secret);
  return secret;
}
