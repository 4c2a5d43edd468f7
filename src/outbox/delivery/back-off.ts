import { hours, minutes, seconds } from '../../contract/durations.ts';

/** After a temporary refusal: never longer than five minutes, since a person is waiting. */
const pauses = [seconds(2), seconds(10), seconds(30), minutes(2), minutes(5)];
/**
 * After a refusal that lasts until someone fixes the cause: eight attempts a day, to avoid a flood of equal refusals.
 */
const pausesOfRefused = [minutes(15), hours(1), hours(3), hours(6)];
/**
 * After the server received the whole email without acknowledging it: each attempt may put another copy into the
 * mailbox.
 */
const pausesOfUnacknowledged = [minutes(2), minutes(15), hours(1), hours(3), hours(6)];
/** After the server did not respond: a probe is only one connection, and every email waits for it. */
const pausesOfServer = [seconds(1), seconds(2), seconds(5), seconds(10), seconds(15)];
/** After the server refused us: a relay may lock out clients that connect too often. */
const pausesOfRefusingServer = [seconds(15), minutes(1), minutes(5)];
/** Spreads the retries of emails that failed together. */
const jitter = 0.2;

/** An email that the server never acknowledges is given up after this many copies. */
export const mostCopies = 6;

const steps = {
  email: pauses,
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
