import type { FastifyRequest } from 'fastify';
import { Failure } from '../contract/failures.ts';
import { readAccessToken } from '../security/access-tokens.ts';
import type { Service } from '../server/foundation.ts';
import { findSession, isLive } from '../store/sessions.ts';

export interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string;
}

const bearer = /^Bearer ([\w.-]+)$/i;

/**
 * The owner of a request's access token. The session is looked up as well, so that ending one closes our own
 * requests at once; only other services wait for the token's ten minutes.
 */
export async function requireSignedIn(service: Service, request: FastifyRequest): Promise<SignedIn> {
  const [, token = ''] = bearer.exec(request.headers.authorization ?? '') ?? [];
  const now = service.now();
  const claims = readAccessToken(token, { keys: service.keyring.accessTokens, issuer: service.config.PUBLIC_URL, now });
  if (!claims) throw new Failure('not_signed_in');
  const session = await findSession(service.store, claims.sid);
  if (!session || session.account_id !== claims.sub || !isLive(session, now)) throw new Failure('not_signed_in');
  return { accountId: session.account_id, sessionId: session.id };
}
