import type { Service } from '../../server/service.ts';
import { findNamed, type NamedSession } from '../../store/access/named-sessions.ts';
import { endSession, findSession, type SessionsTable } from '../../store/access/sessions.ts';
import { lockAccountRow } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';

interface SignOut {
  /** What the browser's refresh cookie names. */
  readonly named: NamedSession | undefined;
  readonly visitor: Visitor;
}

/** Ends a browser's session and returns it; undefined without one. An old copy of its cookie ends nothing. */
export const signOut = (service: Pick<Service, 'store' | 'now'>, { named, visitor }: SignOut) =>
  endFound(service, visitor, (trx) => findNamed(trx, named));

/** The same for a session that its application's own cookie or a verified token names. */
export const signOutSession = (
  service: Pick<Service, 'store' | 'now'>,
  { sessionId, visitor }: { readonly sessionId: string; readonly visitor: Visitor },
) => endFound(service, visitor, (trx) => findSession(trx, sessionId));

async function endFound(
  { store, now }: Pick<Service, 'store' | 'now'>,
  visitor: Visitor,
  find: (trx: StoreTransaction) => Promise<SessionsTable | undefined>,
): Promise<SessionsTable | undefined> {
  const at = now();
  return store.transaction().execute(async (trx) => {
    const session = await find(trx);
    if (!session) return undefined;
    await lockAccountRow(trx, session.account_id);
    if (await endSession(trx, { id: session.id, reason: 'signed_out', at }))
      await recordActivity(trx, { accountId: session.account_id, at, kind: 'signed_out', visitor });
    return session;
  });
}
