import { CompiledQuery, sql } from 'kysely';
import { seconds } from '../../contract/durations.ts';
import { openBatches } from '../batching.ts';
import { engineOf, type Store } from '../database.ts';
import { idleLifetimeSql, type SessionsTable } from './sessions.ts';

/** How long a used refresh token, ours or an application's, still gets its successor: tabs wake together. */
export const refreshGrace = seconds(10);
/** How often that may happen later: a thief who keeps pace with the owner would look the same. */
export const mostLateAnswers = 3;

interface Rotation {
  readonly id: string;
  readonly generation: number;
  readonly now: number;
}

/** The session after its rotation. */
export type Rotated = Readonly<
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
