import { hours, minutes, seconds } from '../../contract/units.ts';
import { pauses } from '../../delivery/worker.ts';

/** Spreads the retries of emails that failed together. */
const jitter = 0.2;

/** Returns how long to wait after the n-th failed attempt, in milliseconds. */
export const pauseAfter = {
  /** After a temporary refusal: never longer than five minutes, since a person is waiting. */
  email: pauses([seconds(2), seconds(10), seconds(30), minutes(2), minutes(5)], jitter),
  /** After a refusal that lasts until someone fixes the cause: eight attempts a day, not a flood of equal refusals. */
  refused: pauses([minutes(15), hours(1), hours(3), hours(6)], jitter),
  /** After the server received the whole email without acknowledging it: each attempt may put another copy into the mailbox. */
  unacknowledged: pauses([minutes(2), minutes(15), hours(1), hours(3), hours(6)], jitter),
  /** After the server did not respond: a probe is only one connection, and every email waits for it. */
  server: pauses([seconds(1), seconds(2), seconds(5), seconds(10), seconds(15)], jitter),
  /** After the server refused us: a relay may lock out clients that connect too often. */
  refusing: pauses([seconds(15), minutes(1), minutes(5)], jitter),
};
