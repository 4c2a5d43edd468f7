import { sql } from 'kysely';
import type { Store } from './database.ts';
import { sessionIdleLifetime } from './sessions.ts';

interface Rotation {
  readonly id: string;
  readonly generation: number;
  readonly now: number;
}

/** The session after its rotation. */
export interface Rotated {
  readonly id: string;
  readonly generation: number;
  readonly account_id: string;
}

const mostInOneCommit = 200;

/**
 * Rotates refresh tokens, many in one statement: a durable commit costs an fsync, and rotations that wait together
 * share it. Each rotates only from the generation that it names, so that of any number at once one succeeds.
 */
/** Undefined: the session is over, or another generation is its newest. */
export type Rotate = (rotation: Rotation) => Promise<Rotated | undefined>;

export function openRotations(store: Store): Rotate {
  const waiting: {
    rotation: Rotation;
    resolve: (done: Rotated | undefined) => void;
    reject: (error: unknown) => void;
  }[] = [];
  let flushing = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostInOneCommit);
      try {
        const done = await rotate(
          store,
          batch.map((entry) => entry.rotation),
        );
        for (const { rotation, resolve } of batch) {
          const rotated = done.get(rotation.id);
          // A copy of an older token may wait in the same batch: it is not the one that rotated.
          resolve(rotated?.generation === rotation.generation + 1 ? rotated : undefined);
        }
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    flushing = false;
  }

  return (rotation) =>
    new Promise((resolve, reject) => {
      waiting.push({ rotation, resolve, reject });
      if (flushing) return;
      flushing = true;
      setImmediate(flush);
    });
}

async function rotate(store: Store, batch: readonly Rotation[]): Promise<Map<string, Rotated>> {
  const now = Math.max(...batch.map((rotation) => rotation.now));
  const wanted = batch.map(({ id, generation }) => sql`(${id}, cast(${generation} as integer))`);
  // Both engines name the columns of VALUES column1, column2.
  const { rows } = await sql<Rotated>`
    update sessions set generation = sessions.generation + 1, rotated_at = ${now}
    from (values ${sql.join(wanted)}) as wanted
    where sessions.id = wanted.column1 and sessions.generation = wanted.column2
      and sessions.ended_at is null and sessions.expires_at > ${now} and sessions.rotated_at > ${now - sessionIdleLifetime}
    returning sessions.id, sessions.generation, sessions.account_id`.execute(store);
  return new Map(rows.map((row) => [row.id, row]));
}
