import { createHash, createHmac } from 'node:crypto';
import { maxBits, solutionNumbers, usualBits } from '../contract/sign-in/proof-of-work.ts';
import { minutes } from '../contract/units.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
import { equal, randomFew, sha256 } from '../security/macs.ts';
import type { Store } from '../store/database.ts';
import { countRequest, limitKey } from '../store/rate-limits.ts';

/** Tasks that browsers solve during a flood (client puzzles, as in RFC 8019): docs/decisions/accounts.md, 0045. */
export type ProofOfWork = ReturnType<typeof openProofOfWork>;

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

export function openProofOfWork({ store, keys, now, waiting }: Options) {
  const used = new BoundedMap<string, true>(usedKept);
  return {
    /** A new task, harder while many who solved one are waiting. */
    newTask(purpose: TaskPurpose): string {
      const bits = Math.min(maxBits, usualBits + Math.floor(waiting() / harderBy));
      return writeTask(keys()[0] as Buffer, { ...purpose, bits, now: now() });
    },
    /** The task that a proof solves; undefined if the proof is invalid, expired, used, or for another purpose. */
    verify(proof: string, purpose: TaskPurpose): string | undefined {
      const task = solvedTask(keys(), proof, { ...purpose, now: now() });
      return task === undefined || used.has(task) ? undefined : task;
    },
    /** Uses up a solved task. False if any node has already accepted it. */
    async use(task: string): Promise<boolean> {
      used.set(task, true);
      const once = { key: limitKey('task', sha256(task)), limit: 1, within: 2 * taskLifetime };
      return (await countRequest(store, [once], now())).state === 'counted';
    },
  };
}

/** The request that a task is for: it is worthless for another endpoint or source. */
interface TaskPurpose {
  readonly path: string;
  readonly source: string;
}

interface NewTask extends TaskPurpose {
  /** Required zero bits of each hash. */
  readonly bits: number;
  readonly now: number;
}

/** Long enough for a slow phone on a slow network, and too short to prepare many solutions for a flood. */
const taskLifetime = minutes(2);
const longestProof = 300;

const tagOf = (key: Buffer, { path, source }: TaskPurpose, body: string): Buffer =>
  createHmac('sha256', key).update(`task!${path}!${source}!${body}`).digest();

/** A task that needs no memory on the server: `<bits>.<time>.<random>.<HMAC>`. */
function writeTask(key: Buffer, { bits, now, ...purpose }: NewTask): string {
  const body = `${bits}.${now.toString(36)}.${randomFew(12).toString('base64url')}`;
  return `${body}.${tagOf(key, purpose, body).toString('base64url')}`;
}

/**
 * Verifies `<task>:<number>.<number>…` in microseconds. Returns the task; undefined unless one of `keys` wrote it
 * moments ago for this purpose and the numbers solve it.
 */
function solvedTask(
  keys: readonly Buffer[],
  proof: string,
  { now, ...purpose }: TaskPurpose & { now: number },
): string | undefined {
  if (proof.length > longestProof) return undefined;
  const [, task = '', body = '', bits, writtenAt = '', tag = '', solution = ''] =
    /^(((\d{1,2})\.([\da-z]{1,9})\.[\w-]{16})\.([\w-]{43})):(\d{1,9}(?:\.\d{1,9})*)$/.exec(proof) ?? [];
  const given = Buffer.from(tag, 'base64url');
  if (!keys.some((key) => equal(tagOf(key, purpose, body), given))) return undefined;
  if (Number.parseInt(writtenAt, 36) < now - taskLifetime) return undefined;
  return isSolution(task, { bits: Number(bits), numbers: solution.split('.').map(Number) }) ? task : undefined;
}

/** The numbers must increase, so that none counts twice. */
function isSolution(task: string, { bits, numbers }: { bits: number; numbers: readonly number[] }): boolean {
  if (numbers.length !== solutionNumbers) return false;
  return numbers.every((number, at) => {
    const previous = at === 0 ? -1 : (numbers[at - 1] as number);
    const hash = createHash('sha256').update(`${task}:${number}`).digest();
    return number > previous && hash.readUInt32BE() >>> (32 - bits) === 0;
  });
}
