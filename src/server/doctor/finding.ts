import type { ConcernCode, ConcernParams } from '../../contract/concerns.ts';
import { days, hours, minutes, seconds } from '../../contract/units.ts';

/** The doctor's finding about one part. */
export interface Finding {
  /** Such as `disk`, `mail: SPF` or `calls to DE`. */
  readonly part: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** In English. */
  readonly says: string;
  /** What is wrong, for a sentence in any language; absent if all is well. */
  readonly concern?: { readonly code: ConcernCode; readonly params: ConcernParams };
}

export interface Examined {
  /** Milliseconds since the epoch; undefined before the first result. */
  readonly at: number | undefined;
  readonly findings: readonly Finding[];
  /** Whether another examination is at work. */
  readonly isRunning: boolean;
}

/** Returns what the doctor found on this node. `again` also examines it if that is more than some seconds old. */
export type Examinations = (asked: { readonly again: boolean }) => Promise<Examined>;

/** What a check returns as a warning, or throws as a failure. Its message is in English. */
export class Problem extends Error {
  readonly code: ConcernCode;
  readonly params: ConcernParams;
  constructor(code: ConcernCode, params: ConcernParams, says: string) {
    super(says);
    this.name = 'Problem';
    this.code = code;
    this.params = params;
  }
}

export type CheckResult = string | Problem;

interface Check {
  readonly part: string;
  /** What is wrong if the check throws the error of something else, whose words follow. */
  readonly code?: ConcernCode;
}

/** Checks a part; an error that the check throws becomes a failed finding. */
export async function runCheck(
  { part, code = 'examination' }: Check,
  work: () => Promise<CheckResult> | CheckResult,
): Promise<Finding> {
  try {
    const said = await work();
    return typeof said === 'string' ? { part, state: 'ok', says: said } : foundIn(part, 'warning', said);
  } catch (error) {
    if (error instanceof Problem) return foundIn(part, 'failed', error);
    const words = (error as Error).message.split('\n', 1)[0] ?? '';
    return foundIn(part, 'failed', new Problem(code, { words }, words));
  }
}

/** The finding about a part that has a problem. */
export const foundIn = (part: string, state: 'warning' | 'failed', { code, params, message }: Problem): Finding => ({
  ...{ part, state, says: message },
  concern: { code, params },
});

/** Formats seconds for people: `45 s`, `12 min`, `3 h`, `2 d`. */
export function readable(age: number): string {
  const units = [
    ['d', days(1)],
    ['h', hours(1)],
    ['min', minutes(1)],
  ] as const;
  const [unit, length] = units.find(([, one]) => seconds(age) >= one) ?? ['s', seconds(1)];
  return `${Math.floor(seconds(age) / length)} ${unit}`;
}

/** A count with its noun, whose plural ends in `s`: `1 account`, `2 accounts`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
