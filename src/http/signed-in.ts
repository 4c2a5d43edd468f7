import type { FastifyRequest } from 'fastify';
import { Failure } from '../contract/failures.ts';
import { readAccessToken } from '../security/access-tokens.ts';
import { findSession, isLive } from '../store/sessions.ts';
import type { HttpDeps } from './deps.ts';

export interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string;
}

const bearer = /^Bearer ([\w.-]+)$/i;

/**
 * The owner of a request's access token. The session is looked up as well, so that ending one closes our own
 * calls at once; only other services wait for the token's ten minutes.
 */
export async function requireSignedIn(deps: HttpDeps, request: FastifyRequest): Promise<SignedIn> {
  const [, token = ''] = bearer.exec(request.headers.authorization ?? '') ?? [];
  const now = deps.now();
  const claims = readAccessToken(token, { keys: deps.keyring.accessTokens, issuer: deps.settings.PUBLIC_URL, now });
  if (!claims) throw new Failure('not_signed_in');
  const session = await findSession(deps.store, claims.sid);
  if (!session || session.account_id !== claims.sub || !isLive(session, now)) throw new Failure('not_signed_in');
  return { accountId: session.account_id, sessionId: session.id };
}
