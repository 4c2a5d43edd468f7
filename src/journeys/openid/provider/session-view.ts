import type { AdapterPayload } from 'oidc-provider';
import type { Service } from '../../../server/service.ts';
import { findSession } from '../../../store/access/sessions.ts';
import { authenticationOf, signedInBrowser } from './authentication.ts';

/**
 * The provider's session is a view of ours: routes put the id of our session into the cookie that the provider reads, and
 * it never sets one. So it ends with ours, without any synchronization.
 */
export async function sessionCalled(
  service: Pick<Service, 'store' | 'now'>,
  id: string,
): Promise<AdapterPayload | undefined> {
  const session = await findSession(service.store, id);
  const browser = session && (await signedInBrowser(service, { sessionId: id, generation: session.generation }));
  if (!browser) return undefined;
  const { authTime, amr, acr } = authenticationOf(browser.session);
  return {
    kind: 'Session',
    jti: id,
    // The same for all sessions, so that a person who must sign in again can continue the request.
    uid: 'browser',
    accountId: browser.account.id,
    loginTs: authTime,
    amr: [...amr],
    acr,
    iat: authTime,
    exp: Number.MAX_SAFE_INTEGER,
  };
}
