import type { FastifyReply } from 'fastify';
import { accessTokenLifetime } from '../contract/constants.ts';
import { type SigningKey, signAccessToken } from '../security/access-tokens.ts';
import { type RefreshToken, writeRefreshToken } from '../security/refresh-tokens.ts';
import { setSessionCookies } from './cookies.ts';
import type { HttpDeps } from './deps.ts';

/** Sets the session cookie and makes the answer of a call that signs in or refreshes (RFC 6749, section 5.1). */
export function grantSession(deps: HttpDeps, reply: FastifyReply, session: RefreshToken & { accountId: string }) {
  setSessionCookies(reply, deps.cookies, writeRefreshToken(deps.keyring.refreshTokens[0] as Buffer, session));
  const access_token = signAccessToken(deps.keyring.accessTokens[0] as SigningKey, {
    issuer: deps.settings.PUBLIC_URL,
    accountId: session.accountId,
    sessionId: session.sessionId,
    now: deps.now(),
    lifetime: accessTokenLifetime,
  });
  return { access_token, token_type: 'Bearer' as const, expires_in: accessTokenLifetime / 1000 };
}
