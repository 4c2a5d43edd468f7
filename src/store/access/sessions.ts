import { CompiledQuery, sql } from 'kysely';
import type { EndReason } from '../../contract/failures.ts';
import { type AssuranceLevel, sharedIdleLifetime } from '../../contract/sign-in/admission.ts';
import { days, seconds } from '../../contract/units.ts';
import { endGrantsOfSession } from '../applications/end-grants.ts';
import { openBatches, openLookup } from '../batching.ts';
import { engineOf, hasRow, type Store, type StoreTransaction } from '../database.ts';

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
  /** Values of `amr`, separated by spaces. */
  amr: string;
  acr: AssuranceLevel;
  /** SHA-256 of its browser’s device token; null on a shared computer. */
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

const sessionsById = openLookup('id', (store, isKey) => store.selectFrom('sessions').selectAll().where(isKey('id')));

export const findSession = async (store: Store, id: string): Promise<SessionsTable | undefined> =>
  (await sessionsById(store, id))[0];

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
const idleLifetimeSql = `(case shared when 1 then ${sharedIdleLifetime} else ${sessionIdleLifetime} end)`;

interface RepeatedRefresh {
  readonly id: string;
  /** The successor to issue again. */
  readonly generation: number;
  /** Only if the rotation was before this time. */
  readonly rotatedBefore: number;
  readonly maxTimes: number;
  readonly now: number;
}

/** Counts a late repeated response, and restarts its grace period. True for exactly one of several parallel callers. */
export const repeatResponse = (store: Store, repeated: RepeatedRefresh): Promise<boolean> =>
  hasRow(
    store
      .updateTable('sessions')
      .set((row) => ({ late_answers: row('late_answers', '+', 1), rotated_at: repeated.now }))
      .where('id', '=', repeated.id)
      .where('generation', '=', repeated.generation)
      .where('rotated_at', '<=', repeated.rotatedBefore)
      .where('late_answers', '<', repeated.maxTimes)
      .where('ended_at', 'is', null)
      .returning('id'),
  );

/**
 * Continues from a generation above the stored one, if the database went back in time. True for one parallel caller.
 */
export const adoptGeneration = (
  store: Store,
  { id, generation, now }: { id: string; generation: number; now: number },
): Promise<boolean> =>
  hasRow(
    store
      .updateTable('sessions')
      .set({ generation: generation + 1, rotated_at: now })
      .where('id', '=', id)
      .where('generation', '<', generation)
      .where('ended_at', 'is', null)
      .returning('id'),
  );

interface Ended {
  readonly id: string;
  readonly reason: EndReason;
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
export const listSessions = (store: Store, { accountId, now, max }: { accountId: string; now: number; max: number }) =>
  store
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where(sql<boolean>`rotated_at + ${sql.raw(idleLifetimeSql)} > ${now}`)
    .orderBy('rotated_at', 'desc')
    .limit(max)
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

/** What a refresh token names. */
export interface NamedSession {
  readonly sessionId: string;
  readonly generation: number;
}

/** Whether a refresh token is older than the parent of the newest one. Browsers keep only the newest, so it is a copy. */
export function isCopy(
  session: Pick<SessionsTable, 'generation'>,
  { generation }: Pick<NamedSession, 'generation'>,
): boolean {
  return generation < session.generation - 1;
}

/** The session that a refresh token names, live or ended; undefined for an old copy of the token. */
export async function findNamed(store: Store, named: NamedSession | undefined): Promise<SessionsTable | undefined> {
  const session = named && (await findSession(store, named.sessionId));
  return session && !isCopy(session, named) ? session : undefined;
}

interface NewDevices {
  readonly accountId: string;
  readonly since: number;
  /** Only sessions that added a credential at this time or later (ms since the epoch). */
  readonly addedSince?: number;
}

/** The tables of credentials, each with the session that added it. */
export const credentialTables = ['passkeys', 'authenticators', 'recovery_codes'] as const;

/** When a credential was added. */
const addedAt = { passkeys: 'created_at', authenticators: 'confirmed_at', recovery_codes: 'created_at' } as const;

/**
 * The sessions that added a credential, and that began on a device that the account
 * first saw at `since` or later. The device that registered the account is never new.
 */
export async function credentialSessionsOnNewDevices(
  store: Store,
  { accountId, since, addedSince = 0 }: NewDevices,
): Promise<string[]> {
  const [first, ...others] = credentialTables;
  const addedTo = (table: (typeof credentialTables)[number]) =>
    store
      .selectFrom(table)
      .select('session_id')
      .where('account_id', '=', accountId)
      .where(sql.ref<number>(addedAt[table]), '>=', addedSince);
  const added = others.reduce((union, table) => union.union(addedTo(table)), addedTo(first));
  // A forgotten device, or a shared computer, counts as first seen when the session began.
  const firstSeen = sql<number>`coalesce(devices.created_at, sessions.created_at)`;
  const sessions = await store
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.token_hash', '=', 'sessions.device_hash')
        .onRef('devices.account_id', '=', 'sessions.account_id'),
    )
    .select('sessions.id')
    .where('sessions.account_id', '=', accountId)
    .where('sessions.id', 'in', added)
    .where(firstSeen, '>=', since)
    .where(firstSeen, '>', (row) => row.ref('accounts.created_at'))
    .execute();
  return sessions.map(({ id }) => id);
}

/** How long a used refresh token, ours or an application's, still gets its successor: tabs wake together. */
export const refreshGrace = seconds(10);
/** How often that may happen later: a thief who keeps pace with the owner would look the same. */
export const maxLateResponses = 3;

interface Rotation {
  readonly id: string;
  readonly generation: number;
  readonly now: number;
}

type Rotated = Readonly<
  Pick<SessionsTable, 'id' | 'generation' | 'account_id' | 'shared' | 'created_at' | 'proven_at' | 'amr' | 'acr'>
>;

/** Returns undefined if the session has ended, or another generation is its newest. */
export type Rotate = (rotation: Rotation) => Promise<Rotated | undefined>;

/**
 * Rotates refresh tokens, each only from the generation that it names, so that exactly one of several parallel
 * rotations succeeds. A durable commit costs an fsync, so rotations that wait together share one.
 */
export const openRotations = (store: Store): Rotate =>
  engineOf(store) === 'sqlite' ? (rotation) => rotateAlone(store, rotation) : rotateTogether(store);

/** SQLite's writer already shares commits, and the plan for one session by key does not depend on the table's size. */
async function rotateAlone(store: Store, { id, generation, now }: Rotation): Promise<Rotated | undefined> {
  const { rows } = await store.executeQuery<Rotated>(CompiledQuery.raw(rotateOne, [now, id, generation, now, now]));
  return rows[0];
}

const rotateOne = `
  update sessions set generation = generation + 1, rotated_at = ?
  where id = ? and generation = ? and ended_at is null and expires_at > ? and rotated_at + ${idleLifetimeSql} > ?
  returning id, generation, account_id, shared, created_at, proven_at, amr, acr`;

const rotateTogether = (store: Store): Rotate => openBatches((rotations) => rotateAll(store, rotations));

async function rotateAll(store: Store, batch: readonly Rotation[]): Promise<(Rotated | undefined)[]> {
  const now = Math.max(...batch.map((rotation) => rotation.now));
  // Sorted by id, so that nodes that rotate the same sessions wait for each other but never deadlock.
  const inOrder = [...batch].sort((one, other) => (one.id < other.id ? -1 : 1));
  const ids = inOrder.map(({ id }) => id);
  const generations = inOrder.map(({ generation }) => generation);
  const { rows } = await sql<Rotated>`
    update sessions set generation = sessions.generation + 1, rotated_at = ${now}
    from unnest(${ids}::text[], ${generations}::integer[]) as wanted (id, generation)
    where sessions.id = wanted.id and sessions.generation = wanted.generation
      and sessions.ended_at is null and sessions.expires_at > ${now} and sessions.rotated_at + ${sql.raw(idleLifetimeSql)} > ${now}
    returning sessions.id, sessions.generation, sessions.account_id, sessions.shared, sessions.created_at,
      sessions.proven_at, sessions.amr, sessions.acr`.execute(store);
  const done = new Map(rows.map((row) => [row.id, row]));
  return batch.map(({ id, generation }) => {
    const rotated = done.get(id);
    // A copy of an older token may be in the same batch: that one did not rotate.
    return rotated?.generation === generation + 1 ? rotated : undefined;
  });
}
