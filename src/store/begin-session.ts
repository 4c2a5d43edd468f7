import { type ActivityKind, recordActivity } from './activity.ts';
import type { StoreTransaction } from './database.ts';
import { rememberDevice } from './devices.ts';
import { addSession, sessionLifetime } from './sessions.ts';
import type { Visitor } from './visitor.ts';

export interface NewSession {
  readonly sessionId: string;
  readonly accountId: string;
  readonly deviceHash: string;
  readonly visitor: Visitor;
  readonly kind: Extract<ActivityKind, 'signed_in' | 'registered'>;
  readonly now: number;
}

/** Everything that a new session leaves behind: itself, the device that it began on, and a line for its owner to read. */
export async function beginSession(trx: StoreTransaction, session: NewSession): Promise<void> {
  const { sessionId, accountId, visitor, now } = session;
  await addSession(trx, {
    id: sessionId,
    account_id: accountId,
    created_at: now,
    expires_at: now + sessionLifetime,
    ip: visitor.ip,
    user_agent: visitor.userAgent,
  });
  await rememberDevice(trx, { tokenHash: session.deviceHash, accountId, at: now, visitor });
  await recordActivity(trx, {
    account_id: accountId,
    at: now,
    kind: session.kind,
    ip: visitor.ip,
    user_agent: visitor.userAgent,
  });
}
