import { keepTimeZone } from '../accounts/accounts.ts';
import { type ActivityKind, recordActivity } from '../accounts/activity.ts';
import { takeDeletionBack } from '../accounts/delete-account.ts';
import type { StoreTransaction } from '../database.ts';
import type { Visitor } from '../visitor.ts';
import { rememberDevice } from './devices.ts';
import { addSession, sessionLifetime } from './sessions.ts';

export interface NewSession {
  readonly sessionId: string;
  readonly accountId: string;
  readonly deviceHash: string;
  readonly visitor: Visitor;
  readonly kind: Extract<ActivityKind, 'signed_in' | 'registered'>;
  readonly now: number;
  /** On a computer that others use as well, which does not become a known device. */
  readonly shared?: boolean | undefined;
}

/** Everything that a new session leaves behind: an account that is kept after all, itself, the device that it began on, and a line for its owner to read. */
export async function beginSession(trx: StoreTransaction, session: NewSession): Promise<void> {
  const { sessionId, accountId, visitor, now } = session;
  await addSession(trx, {
    id: sessionId,
    account_id: accountId,
    created_at: now,
    expires_at: now + sessionLifetime,
    ip: visitor.ip,
    user_agent: visitor.userAgent,
    shared: session.shared ? 1 : 0,
  });
  if (visitor.timeZone) await keepTimeZone(trx, { accountId, timeZone: visitor.timeZone });
  if (!session.shared) await rememberDevice(trx, { tokenHash: session.deviceHash, accountId, at: now, visitor });
  await recordActivity(trx, { accountId, at: now, kind: session.kind, visitor });
  if (session.kind === 'signed_in' && (await takeDeletionBack(trx, accountId)))
    await recordActivity(trx, { accountId, at: now, kind: 'deletion_taken_back', visitor });
}
