import { seconds } from '../../contract/durations.ts';
import type { Store } from '../../store/database.ts';
import { makeAllDue, shiftTimes } from '../../store/emails/claim-emails.ts';

/** A larger step back means that the clock was set back, not corrected. */
const clockStep = seconds(2);

interface ClockDeps {
  readonly store: Store;
  readonly now: () => number;
  /** The longest lease, in milliseconds. */
  readonly leaseFor: number;
}

/**
 * Returns a function to call before each round of the worker: makes all emails due at startup, and shifts their times if
 * the clock was set back. Otherwise they would wait until the clock has caught up.
 */
export function watchClock({ store, now, leaseFor }: ClockDeps): () => Promise<void> {
  let latest: number | undefined;
  return async () => {
    const at = now();
    // mutation: clock-is-never-put-back
    if (latest === undefined) await makeAllDue(store, { now: at, leaseFor });
    else if (at < latest - clockStep) await shiftTimes(store, { by: latest - at, now: at, leaseFor });
    latest = at;
  };
}
