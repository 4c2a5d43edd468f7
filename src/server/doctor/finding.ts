import type { ExaminedPart } from '../../contract/concerns.ts';
import { days, hours, minutes, seconds } from '../../contract/units.ts';

/** The doctor's finding about one part. */
export interface Finding {
  readonly part: ExaminedPart;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly says: string;
}

/** The findings of an examination. */
export interface Examined {
  /** Milliseconds since the epoch; undefined before the first result. */
  readonly at: number | undefined;
  readonly findings: readonly Finding[];
}

export type CheckResult = string | { readonly warning: string };

/** Checks a part; an error that the check throws becomes a failed finding. */
export async function runCheck(part: ExaminedPart, work: () => Promise<CheckResult> | CheckResult): Promise<Finding> {
  try {
    const said = await work();
    return typeof said === 'string'
      ? { part, state: 'ok', says: said }
      : { part, state: 'warning', says: said.warning };
  } catch (error) {
    return { part, state: 'failed', says: (error as Error).message.split('\n', 1)[0] ?? '' };
  }
}

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
