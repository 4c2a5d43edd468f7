import { mostBits, usualBits } from '../../contract/sign-in/proof-of-work.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { sha256 } from '../../security/secrets.ts';
import type { Store } from '../../store/database.ts';
import { limitKey } from '../../store/rate-limit-keys.ts';
import { countRequest } from '../../store/rate-limits.ts';
import { solvedTask, type TaskPurpose, taskLifetime, writeTask } from './tasks.ts';

/** Tasks that browsers solve during a flood (client puzzles, as in RFC 8019): docs/decisions/0045-proof-of-work.md. */
export interface ProofOfWork {
  /** A new task, harder while many who solved one are waiting. */
  newTask(purpose: TaskPurpose): string;
  /** The task that a proof solves; undefined if the proof is invalid, expired, used, or for another purpose. */
  verify(proof: string, purpose: TaskPurpose): string | undefined;
  /** Uses up a solved task. False if any node has already accepted it. */
  use(task: string): Promise<boolean>;
}

interface Options {
  readonly store: Store;
  /** The first key signs, and all verify. */
  readonly keys: () => readonly Buffer[];
  readonly now: () => number;
  /** How many requests with a solution wait. */
  readonly waiting: () => number;
}

/** Each multiple of this number of waiting solutions doubles the work. */
const harderBy = 32;
/** Used tasks that this node refuses without the database. */
const usedKept = 10_000;

export function openProofOfWork({ store, keys, now, waiting }: Options): ProofOfWork {
  const used = new BoundedMap<string, true>(usedKept);
  return {
    newTask(purpose) {
      const bits = Math.min(mostBits, usualBits + Math.floor(waiting() / harderBy));
      return writeTask(keys()[0] as Buffer, { ...purpose, bits, now: now() });
    },
    verify(proof, purpose) {
      const task = solvedTask(keys(), proof, { ...purpose, now: now() });
      return task === undefined || used.has(task) ? undefined : task;
    },
    async use(task) {
      used.set(task, true);
      const once = { key: limitKey('task', sha256(task)), limit: 1, within: 2 * taskLifetime };
      return (await countRequest(store, [once], now())).state === 'counted';
    },
  };
}
