import { seconds } from '../../contract/durations.ts';
import type { EndReason } from '../../contract/failures.ts';
import { post } from '../../outbox/post.ts';
import { readRefreshToken } from '../../security/refresh-tokens.ts';
import type { Service } from '../../server/foundation.ts';
import { findAccount } from '../../store/accounts.ts';
import { recordActivity } from '../../store/activity.ts';
import { endSession, findSession, isLive, type SessionsTable } from '../../store/sessions.ts';
import type { Visitor } from '../../store/visitor.ts';

/** How long a token's successor is given again to whoever presents its parent: tabs that wake together. */
const refreshGrace = seconds(10);

export type Refreshed =
  | { readonly state: 'refreshed'; readonly accountId: string; readonly sessionId: string; readonly generation: number }
  | { readonly state: 'refused'; readonly reason: EndReason };

interface Visit {
  readonly token: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Rotates a refresh token (RFC 9700, section 4.14.2), and is idempotent for ten seconds: tabs that wake together, or a
 * browser whose answer was lost, all get the one successor. An older token was copied, so its session ends.
 */
export async function refreshSession(service: Service, { token, visitor }: Visit): Promise<Refreshed> {
  const presented = readRefreshToken(service.keyring.refreshTokens, token ?? '');
  if (!presented) return { state: 'refused', reason: 'no_session' };
  const { sessionId, generation } = presented;
  const now = service.now();

  const rotated = await service.rotate({ id: sessionId, generation, now });
  if (rotated) return refreshed(rotated.account_id, sessionId, rotated.generation);

  const session = await findSession(service.store, sessionId);
  if (!session) return { state: 'refused', reason: 'no_session' };
  if (!isLive(session, now)) return { state: 'refused', reason: session.end_reason ?? 'expired' };
  const isParent = generation === session.generation - 1 && session.rotated_at > now - refreshGrace;
  if (isParent) return refreshed(session.account_id, sessionId, session.generation);

  await endCopiedSession(service, session, visitor);
  return { state: 'refused', reason: 'reused' };
}

const refreshed = (accountId: string, sessionId: string, generation: number): Refreshed => ({
  state: 'refreshed',
  accountId,
  sessionId,
  generation,
});

async function endCopiedSession(service: Service, session: SessionsTable, visitor: Visitor): Promise<void> {
  const at = service.now();
  await service.store.transaction().execute(async (trx) => {
    if (!(await endSession(trx, { id: session.id, reason: 'reused', at }))) return;
    await recordActivity(trx, {
      account_id: session.account_id,
      at,
      kind: 'refresh_reused',
      ip: visitor.ip,
      user_agent: visitor.userAgent,
    });
    const account = await findAccount(trx, session.account_id);
    if (account) await post(trx, { notice: 'session_reused', params: { ip: visitor.ip, when: at }, account, at });
  });
  service.outbox.wake();
}

/** Ends the session of a browser; without one there is nothing to do. */
export async function signOut(service: Service, { token, visitor }: Visit): Promise<void> {
  const presented = readRefreshToken(service.keyring.refreshTokens, token ?? '');
  if (!presented) return;
  const at = service.now();
  await service.store.transaction().execute(async (trx) => {
    const session = await findSession(trx, presented.sessionId);
    if (!session || !(await endSession(trx, { id: session.id, reason: 'signed_out', at }))) return;
    await recordActivity(trx, {
      account_id: session.account_id,
      at,
      kind: 'signed_out',
      ip: visitor.ip,
      user_agent: visitor.userAgent,
    });
  });
}
