import { signOut } from '../../access/sign-out.ts';
import { readRefreshToken } from '../../security/refresh-tokens.ts';
import type { Service } from '../../server/service.ts';
import type { SessionsTable } from '../../store/access/sessions.ts';
import type { Visitor } from '../../store/visitor.ts';

interface BrowserSignOut {
  /** The refresh token, which may be outdated. */
  readonly token: string | undefined;
  readonly visitor: Visitor;
}

/** Ends the browser's session and returns it; undefined without a session. */
export async function signOutBrowser(
  service: Service,
  { token, visitor }: BrowserSignOut,
): Promise<SessionsTable | undefined> {
  const presented = readRefreshToken(service.keyring.refreshTokens, token ?? '');
  return presented && signOut(service, { sessionId: presented.sessionId, visitor });
}
