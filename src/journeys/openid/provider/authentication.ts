import type { Service } from '../../../server/service.ts';
import { authenticationOf as authenticationOfSession } from '../../../store/access/authentication.ts';
import { findNamed, type NamedSession } from '../../../store/access/named-sessions.ts';
import { isLive, type SessionsTable } from '../../../store/access/sessions.ts';
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

/** The live session that a refresh cookie names, and its account; undefined for an old copy of the cookie. */
export async function signedInBrowser(
  { store, now }: Pick<Service, 'store' | 'now'>,
  named: NamedSession | undefined,
): Promise<SignedInBrowser | undefined> {
  const session = await findNamed(store, named);
  if (!session || !isLive(session, now())) return undefined;
  const account = await findAccount(store, session.account_id);
  return account && account.locked_at === null ? { session, account } : undefined;
}
