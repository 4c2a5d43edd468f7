import { hours, minutes, seconds } from '../contract/durations.ts';

/** After each failed attempt, as Standard Webhooks 1.0.0 proposes: ten attempts over 75 hours. */
const pauses = [
  ...[seconds(5), minutes(5), minutes(30)],
  ...[hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)],
];
/** Spreads the retries of deliveries that failed together. */
const jitter = 0.1;
/** In milliseconds. */
export const longestPause = Math.max(...pauses) * (1 + jitter);

/** Milliseconds until the next attempt; undefined after the last one. `random` in [0, 1). */
export function pauseAfterAttempt({ attempts, random }: { attempts: number; random: number }): number | undefined {
  const pause = pauses[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (1 - jitter + 2 * jitter * random));
}
