import type { Service } from '../../../server/service.ts';
import { findSession, isLive, type SessionsTable } from '../../../store/access/sessions.ts';
import { type AccountsTable, findAccount } from '../../../store/accounts/accounts.ts';

/** How and when the owner of a session proved their identity (OpenID Connect Core 1.0, section 2). */
export interface Authentication {
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr: string;
}

export const acrValues = ['aal1', 'aal2'] as const;

/** A refresh entered the password again, which also counts. */
export const authenticationOf = ({ created_at, proven_at }: SessionsTable): Authentication => ({
  authTime: Math.floor(Math.max(created_at, proven_at ?? 0) / 1000),
  amr: ['pwd'],
  acr: 'aal1',
});

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
