import type { FastifyRequest } from 'fastify';
import { readRefreshToken } from '../security/refresh-tokens.ts';
import type { Service } from '../server/foundation.ts';
import { endSession } from '../store/sessions.ts';

/** Whoever signs in anew in a browser leaves the session that it had (OWASP ASVS 5.0, 7.2.4). */
export async function endFormerSession(service: Service, request: FastifyRequest): Promise<void> {
  const former = readRefreshToken(service.keyring.refreshTokens, request.cookies[service.cookies.refresh] ?? '');
  if (former) await endSession(service.store, { id: former.sessionId, reason: 'signed_out', at: service.now() });
}
