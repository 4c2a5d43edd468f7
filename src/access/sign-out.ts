import type { Service } from '../server/service.ts';
import { endSession, findSession, type SessionsTable } from '../store/access/sessions.ts';
import { lockAccountRow } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import type { Visitor } from '../store/visitor.ts';

interface SignOut {
  readonly sessionId: string;
  readonly visitor: Visitor;
}

/**
 * Ends a session at the request of its browser, for all applications, and logs that for its owner. Returns the session,
 * even if it had ended before; undefined if there is none.
 */
export async function signOut(
  { store, now }: Pick<Service, 'store' | 'now'>,
  { sessionId, visitor }: SignOut,
): Promise<SessionsTable | undefined> {
  const at = now();
  return store.transaction().execute(async (trx) => {
    const session = await findSession(trx, sessionId);
    if (!session) return undefined;
    await lockAccountRow(trx, session.account_id);
    if (await endSession(trx, { id: sessionId, reason: 'signed_out', at }))
      await recordActivity(trx, { accountId: session.account_id, at, kind: 'signed_out', visitor });
    return session;
  });
}
