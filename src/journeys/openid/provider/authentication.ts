import type { Service } from '../../../server/service.ts';
import { authenticationOf as authenticationOfSession } from '../../../store/access/authentication.ts';
import { findSession, isLive, type SessionsTable } from '../../../store/access/sessions.ts';
import { type AccountsTable, findAccount } from '../../../store/accounts/accounts.ts';

export const acrValues = ['aal1', 'aal2'] as const;

/** How and when the owner of a session proved who they are, as ID tokens say it: with the time in seconds. */
export const authenticationOf = (session: SessionsTable) => {
  const { authTime, amr, acr } = authenticationOfSession(session);
  return { authTime: Math.floor(authTime / 1000), amr: [...amr], acr };
};

export interface SignedInBrowser {
  readonly session: SessionsTable;
  readonly account: AccountsTable;
}

interface NamedSession {
  readonly sessionId: string;
  readonly generation: number;
}

/**
 * The live session that a refresh cookie names, and its account. A cookie that is older than the parent of the newest one
 * is a copy: it gets nothing, and a refresh with it ends the session.
 */
export async function signedInBrowser(
  { store, now }: Pick<Service, 'store' | 'now'>,
  named: NamedSession | undefined,
): Promise<SignedInBrowser | undefined> {
  const session = named && (await findSession(store, named.sessionId));
  if (!session || !isLive(session, now()) || named.generation < session.generation - 1) return undefined;
  const account = await findAccount(store, session.account_id);
  return account && account.locked_at === null ? { session, account } : undefined;
}
