import { hours, minutes, seconds } from '../contract/durations.ts';

/** Never longer than five minutes: a person waits, and the server may be back since the last try. */
const pauses = [seconds(2), seconds(10), seconds(30), minutes(2), minutes(5)];
/** So that what failed together does not come back together. */
const jitter = 0.2;

/** A letter that nobody took for a day is given up: its link would die with it (`store/reset-links.ts`). */
export const givenUpAfter = hours(24);

/** How long to wait after the n-th failed attempt, in milliseconds; `random` in [0, 1). */
export function pauseAfter(attempts: number, random: number): number {
  const pause = pauses[Math.min(Math.max(attempts, 1), pauses.length) - 1] as number;
  return Math.round(pause * (1 - jitter + 2 * jitter * random));
}
