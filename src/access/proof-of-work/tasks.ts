import { createHash, createHmac } from 'node:crypto';
import { minutes } from '../../contract/durations.ts';
import { solutionNumbers } from '../../contract/sign-in/proof-of-work.ts';
import { equal, randomFew } from '../../security/secrets.ts';

/** The request that a task is for: it is worthless for another endpoint or source. */
export interface TaskPurpose {
  /** Path of the endpoint. */
  readonly path: string;
  readonly source: string;
}

interface NewTask extends TaskPurpose {
  /** Required zero bits of each hash. */
  readonly bits: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Long enough for a slow phone on a slow network, and too short to prepare many solutions for a flood. */
export const taskLifetime = minutes(2);
const longestProof = 300;

const tagOf = (key: Buffer, { path, source }: TaskPurpose, body: string): Buffer =>
  createHmac('sha256', key).update(`task!${path}!${source}!${body}`).digest();

/** A task that needs no memory on the server: `<bits>.<time>.<random>.<HMAC>`. */
export function writeTask(key: Buffer, { bits, now, ...purpose }: NewTask): string {
  const body = `${bits}.${now.toString(36)}.${randomFew(12).toString('base64url')}`;
  return `${body}.${tagOf(key, purpose, body).toString('base64url')}`;
}

/**
 * Verifies `<task>:<number>.<number>…` in microseconds. Returns the task; undefined unless one of `keys` wrote it
 * moments ago for this purpose and the numbers solve it.
 */
export function solvedTask(
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
