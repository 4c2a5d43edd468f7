import { sql } from 'kysely';
import { days } from '../../contract/durations.ts';
import type { EndReason } from '../../contract/failures.ts';
import type { AssuranceLevel } from '../../contract/sign-in/authentication.ts';
import { sharedIdleLifetime } from '../../contract/sign-in/lifetimes.ts';
import { endGrantsOfSession } from '../applications/end-grants.ts';
import { openLookup } from '../batching.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** An unused session ends after this time. */
const sessionIdleLifetime = days(14);
/** A session always ends after this time, even in use. */
export const sessionLifetime = days(30);

export interface SessionsTable {
  /** 128 random bits, base64url. */
  id: string;
  account_id: string;
  /** Counts the issued refresh tokens; only the newest one rotates. */
  generation: number;
  rotated_at: number;
  created_at: number;
  /** Absolute end, even in use. */
  expires_at: number;
  ended_at: number | null;
  end_reason: EndReason | null;
  ip: string;
  user_agent: string;
  /** How often a parent token arrived after its grace period and got its successor again. */
  late_answers: number;
  /** 1 on a shared computer. */
  shared: 0 | 1;
  /** When its owner last proved again who they are. */
  proven_at: number | null;
  /** Values of `amr`, separated by spaces; null if an older version wrote the row. */
  amr: string | null;
  acr: AssuranceLevel | null;
  /** SHA-256 of its browser’s device token; null on a shared computer, or if an older version wrote the row. */
  device_hash: string | null;
}

declare module '../database.ts' {
  interface Database {
    sessions: SessionsTable;
  }
}

type NewSession = Omit<
  SessionsTable,
  'generation' | 'rotated_at' | 'ended_at' | 'end_reason' | 'late_answers' | 'proven_at'
>;

// As text, like the other statements of a sign-in: the query builder would take longer than SQLite.
export const addSession = (store: Store, session: NewSession) =>
  sql`
    insert into sessions (id, account_id, generation, rotated_at, created_at, expires_at, ip, user_agent, shared, amr, acr,
      device_hash)
    values (${session.id}, ${session.account_id}, 0, ${session.created_at}, ${session.created_at}, ${session.expires_at},
      ${session.ip}, ${session.user_agent}, ${session.shared}, ${session.amr}, ${session.acr}, ${session.device_hash})`.execute(
    store,
  );

const sessionsCalled = openLookup('id', (store, isKey) => store.selectFrom('sessions').selectAll().where(isKey('id')));

export const findSession = async (store: Store, id: string): Promise<SessionsTable | undefined> =>
  (await sessionsCalled(store, id))[0];

/** Whether a session is still valid at `now`. */
export const isLive = (
  session: Pick<SessionsTable, 'ended_at' | 'expires_at' | 'rotated_at' | 'shared'>,
  now: number,
): boolean =>
  session.ended_at === null && session.expires_at > now && session.rotated_at > now - idleLifetimeOf(session);

/** How long a session lasts without use (ms). */
export const idleLifetimeOf = ({ shared }: Pick<SessionsTable, 'shared'>): number =>
  shared ? sharedIdleLifetime : sessionIdleLifetime;

/** The same as SQL. */
export const idleLifetimeSql = `(case shared when 1 then ${sharedIdleLifetime} else ${sessionIdleLifetime} end)`;

interface RepeatedRefresh {
  readonly id: string;
  /** The successor to issue again. */
  readonly generation: number;
  /** Only if the rotation was before this time. */
  readonly rotatedBefore: number;
  readonly mostOften: number;
  readonly now: number;
}

/** Counts a late repeated response, and restarts its grace period. True for exactly one of several parallel callers. */
export async function repeatAnswer(store: Store, repeated: RepeatedRefresh): Promise<boolean> {
  const counted = await store
    .updateTable('sessions')
    .set((row) => ({ late_answers: row('late_answers', '+', 1), rotated_at: repeated.now }))
    .where('id', '=', repeated.id)
    .where('generation', '=', repeated.generation)
    .where('rotated_at', '<=', repeated.rotatedBefore)
    .where('late_answers', '<', repeated.mostOften)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return counted !== undefined;
}

/**
 * Continues from a generation above the stored one, if the database went back in time. True for one parallel caller.
 */
export async function adoptGeneration(
  store: Store,
  { id, generation, now }: { id: string; generation: number; now: number },
): Promise<boolean> {
  const adopted = await store
    .updateTable('sessions')
    .set({ generation: generation + 1, rotated_at: now })
    .where('id', '=', id)
    .where('generation', '<', generation)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return adopted !== undefined;
}

interface Ended {
  readonly id: string;
  readonly reason: EndReason;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Ends one session, with what applications may do because of it; true if it was live. */
export async function endSession(store: Store, { id: sessionId, reason, at }: Ended): Promise<boolean> {
  const ended = await store
    .updateTable('sessions')
    .set({ ended_at: at, end_reason: reason })
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!ended) return false;
  await endGrantsOfSession(store, { sessionId, at, keepsOffline: reason === 'signed_out' });
  return true;
}

/** The live sessions of an account, the last used first. */
export const listSessions = (
  store: Store,
  { accountId, now, most }: { accountId: string; now: number; most: number },
) =>
  store
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where(sql<boolean>`rotated_at + ${sql.raw(idleLifetimeSql)} > ${now}`)
    .orderBy('rotated_at', 'desc')
    .limit(most)
    .execute();

/** Ends all sessions of an account but one; returns how many were live. */
export async function endOtherSessions(
  trx: StoreTransaction,
  { accountId, except, reason, at }: { accountId: string; except: string; reason: EndReason; at: number },
): Promise<number> {
  const ended = await trx
    .updateTable('sessions')
    .set({ ended_at: at, end_reason: reason })
    .where('account_id', '=', accountId)
    .where('id', '!=', except)
    .where('ended_at', 'is', null)
    .returning('id')
    .execute();
  return ended.length;
}
