import type { FastifyRequest } from 'fastify';
import { readRefreshToken } from '../security/refresh-tokens.ts';
import { endSession } from '../store/sessions.ts';
import type { HttpDeps } from './deps.ts';

/** Whoever signs in anew in a browser leaves the session that it had (OWASP ASVS 5.0, 7.2.4). */
export async function endFormerSession(deps: HttpDeps, request: FastifyRequest): Promise<void> {
  const former = readRefreshToken(deps.keyring.refreshTokens, request.cookies[deps.cookies.refresh] ?? '');
  if (former) await endSession(deps.store, { id: former.sessionId, reason: 'signed_out', at: deps.now() });
}
