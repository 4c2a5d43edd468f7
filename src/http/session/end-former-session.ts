import type { FastifyRequest } from 'fastify';
import { readRefreshToken } from '../../security/refresh-tokens.ts';
import type { Service } from '../../server/foundation.ts';
import { endSession } from '../../store/access/sessions.ts';

/** The session that a browser has, be it alive or not. */
export const formerSessionOf = (service: Service, request: FastifyRequest): string | undefined =>
  readRefreshToken(service.keyring.refreshTokens, request.cookies[service.cookies.refresh] ?? '')?.sessionId;

/** Whoever signs in anew in a browser leaves the session that it had (OWASP ASVS 5.0, 7.2.4). */
export async function endFormerSession(service: Service, request: FastifyRequest): Promise<void> {
  const id = formerSessionOf(service, request);
  if (id !== undefined) await endSession(service.store, { id, reason: 'signed_out', at: service.now() });
}
