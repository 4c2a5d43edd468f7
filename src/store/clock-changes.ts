import { seconds } from '../contract/durations.ts';

/** A larger step back means that the clock was set back, not corrected. */
const clockStep = seconds(2);

interface ClockDeps {
  readonly now: () => number;
  /** Corrects waiting times at startup, since the clock may have been set back before. */
  readonly onStart: (step: { now: number }) => Promise<unknown>;
  /** Shifts waiting times after the clock was set back by `by` milliseconds. */
  readonly onSetBack: (step: { now: number; by: number }) => Promise<unknown>;
}

/**
 * Returns a function to call before each round of a worker, never in parallel. Without it, whatever waits for its next
 * attempt would wait until a clock that was set back has caught up.
 */
export function watchClock({ now, onStart, onSetBack }: ClockDeps): () => Promise<void> {
  let latest: number | undefined;
  return async () => {
    const at = now();
    if (latest === undefined) await onStart({ now: at });
    else if (at < latest - clockStep) await onSetBack({ now: at, by: latest - at });
    latest = at;
  };
}
