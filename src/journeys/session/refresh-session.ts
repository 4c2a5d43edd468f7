import { shutOut } from '../../access/shut-out.ts';
import { type EndReason, Failure } from '../../contract/failures.ts';
import type { Authentication } from '../../contract/sign-in/admission.ts';
import { enqueueCapped } from '../../outbox/enqueue-email.ts';
import { readRefreshToken } from '../../security/tokens.ts';
import type { Service } from '../../server/service.ts';
import {
  adoptGeneration,
  findSession,
  isCopy,
  isLive,
  maxLateResponses,
  refreshGrace,
  repeatResponse,
  type SessionsTable,
} from '../../store/access/sessions.ts';
import { authenticationOf } from '../../store/access/sign-in-lookup.ts';
import { findAccount, lockAccountRow } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { browserKind } from '../../store/browser-names.ts';
import type { Visitor } from '../../store/visitor.ts';

/** Attempts while other requests change the session between read and decision; each change is final, so few suffice. */
const maxLooks = 5;

export type RefreshResult =
  | ({
      readonly state: 'refreshed';
      readonly accountId: string;
      readonly sessionId: string;
      readonly generation: number;
      readonly shared: boolean;
    } & Authentication)
  | {
      readonly state: 'refused';
      readonly reason: EndReason;
      /** Present if we issued the token. */
      readonly sessionId?: string;
      readonly accountId?: string;
    };

interface RefreshAttempt {
  readonly token: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Rotates a refresh token (RFC 9700, section 4.14.2). This is idempotent: tabs that wake together, or a browser whose
 * response was lost, all get the same successor. An older token was copied, so its session ends.
 */
export async function refreshSession(service: Service, { token, visitor }: RefreshAttempt): Promise<RefreshResult> {
  const presented = readRefreshToken(service.keyring.refreshTokens, token ?? '');
  if (!presented) return { state: 'refused', reason: 'no_session' };
  const { sessionId: id, generation } = presented;
  for (let look = 1; look <= maxLooks; look += 1) {
    const now = service.now();
    const rotated = await service.rotate({ id, generation, now });
    if (rotated) return refreshed(rotated, id, rotated.generation);

    const session = await findSession(service.store, id);
    if (!session) return { state: 'refused', reason: 'no_session', sessionId: id };
    const about = { sessionId: id, accountId: session.account_id };
    if (!isLive(session, now)) return { state: 'refused', reason: session.end_reason ?? 'expired', ...about };
    const relation = relationOf(session, { generation, visitor, now });
    if (relation === 'parent') return refreshed(session, id, session.generation);
    if (relation === 'copy') {
      await endCopiedSession(service, session, visitor);
      return { state: 'refused', reason: 'reused', ...about };
    }
    const successor = await goOn(service, { session, relation, generation, visitor });
    if (successor !== undefined) return refreshed(session, id, successor);
  }
  throw new Failure('try_again_later', { retryAfter: 1 });
}

type TokenRelation =
  /** Its successor was issued moments ago. */
  | 'parent'
  /** Its successor was issued but never used: the response was lost. */
  | 'late_parent'
  /** Signed by us and newer than the stored one: the database was restored from a backup. */
  | 'future'
  /** Another request changed the session at this moment. */
  | 'current'
  | 'copy';

function relationOf(
  session: SessionsTable,
  { generation, visitor, now }: { generation: number; visitor: Visitor; now: number },
): TokenRelation {
  if (generation > session.generation) return 'future';
  if (generation === session.generation) return 'current';
  if (isCopy(session, { generation })) return 'copy';
  if (session.rotated_at > now - refreshGrace) return 'parent';
  const isSameKind = browserKind(visitor.userAgent) === browserKind(session.user_agent);
  return isSameKind && session.late_answers < maxLateResponses ? 'late_parent' : 'copy';
}

interface Rotation {
  readonly session: SessionsTable;
  readonly relation: TokenRelation;
  readonly generation: number;
  readonly visitor: Visitor;
}

/** Continues a session, and logs that for its owner. Returns its generation; undefined if another request was first. */
async function goOn(
  service: Service,
  { session, relation, generation, visitor }: Rotation,
): Promise<number | undefined> {
  if (relation === 'current') return undefined;
  const { id } = session;
  const now = service.now();
  return service.store.transaction().execute(async (trx) => {
    await lockAccountRow(trx, session.account_id);
    const isFirst =
      relation === 'future'
        ? await adoptGeneration(trx, { id, generation, now })
        : await repeatResponse(trx, {
            id,
            generation: session.generation,
            rotatedBefore: now - refreshGrace,
            maxTimes: maxLateResponses,
            now,
          });
    if (!isFirst) return undefined;
    const kind = relation === 'future' ? 'refresh_adopted' : 'refresh_repeated';
    await recordActivity(trx, { accountId: session.account_id, at: now, kind, visitor });
    return generation + 1;
  });
}

const refreshed = (
  session: Pick<SessionsTable, 'account_id' | 'shared' | 'created_at' | 'proven_at' | 'amr' | 'acr'>,
  sessionId: string,
  generation: number,
): RefreshResult => ({
  state: 'refreshed',
  shared: session.shared === 1,
  accountId: session.account_id,
  sessionId,
  generation,
  ...authenticationOf(session),
});

async function endCopiedSession(service: Service, session: SessionsTable, visitor: Visitor): Promise<void> {
  const at = service.now();
  await service.store.transaction().execute(async (trx) => {
    await lockAccountRow(trx, session.account_id);
    const account = await findAccount(trx, session.account_id);
    if (!account) return;
    const ended = await shutOut(trx, {
      account,
      cause: 'session_copied',
      session: session.id,
      at,
      parts: service.parts,
    });
    if (ended.sessions === 0) return;
    await recordActivity(trx, { accountId: session.account_id, at, kind: 'refresh_reused', visitor });
    await enqueueCapped(trx, { notice: 'session_reused', params: { ip: visitor.ip, when: at }, account, at });
  });
  service.outbox.wake();
}
