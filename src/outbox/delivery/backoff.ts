import { hours, minutes, seconds } from '../../contract/durations.ts';

/** Of a mail that the server wants later: never longer than five minutes, since a person waits. */
// mutation: pauses-of-hours
const pauses = [seconds(2), seconds(10), seconds(30), minutes(2), minutes(5)];
/** Of a mail that it refuses until somebody mends something: eight tries a day, and no flood of the same refusal. */
const pausesOfRefused = [minutes(15), hours(1), hours(3), hours(6)];
/** After a server had the whole mail and did not acknowledge it: each attempt may be another copy in the same mailbox. */
// mutation: copies-after-hours
const pausesOfUnacknowledged = [minutes(2), minutes(15), hours(1), hours(3), hours(6)];
/** Of a server that does not answer: it is one connection, and everybody waits for it. */
// mutation: server-after-hours
const pausesOfServer = [seconds(1), seconds(2), seconds(5), seconds(10), seconds(15)];
/** Of a server that answers and does not want us: a relay may lock out whoever asks too often. */
const pausesOfRefusingServer = [seconds(15), minutes(1), minutes(5)];
/** So that what failed together does not come back together. */
const jitter = 0.2;

/** A letter that nobody took for a day is given up: its link would die with it (`store/access/reset-links.ts`). */
export const givenUpAfter = hours(24);

/** A mail that was never acknowledged is given up after so many copies. */
export const mostCopies = 6;

const steps = {
  letter: pauses,
  refused: pausesOfRefused,
  unacknowledged: pausesOfUnacknowledged,
  server: pausesOfServer,
  refusing: pausesOfRefusingServer,
};

/** How long to wait after the n-th failed attempt, in milliseconds; `random` in [0, 1). */
export function pauseAfter(of: keyof typeof steps, { attempts, random }: { attempts: number; random: number }): number {
  const pause = steps[of].at(Math.min(Math.max(attempts, 1), steps[of].length) - 1) as number;
  return Math.round(pause * (1 - jitter + 2 * jitter * random));
}
