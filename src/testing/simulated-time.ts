/** A clock that jumps from one event to the next: minutes of waiting pass as fast as their events can run. */
export interface SimulatedTime {
  now(): number;
  /** Schedules `event` at a time, in milliseconds. */
  at(time: number, event: () => void): void;
  /** Resolves after this many milliseconds of simulated time. */
  pass(milliseconds: number): Promise<void>;
  /** Runs until no events are left. */
  run(): Promise<void>;
}

export function simulatedTime(): SimulatedTime {
  let now = 0;
  const events: { time: number; event: () => void }[] = [];

  /** Inserts it after all events of the same time, so that they run in the order of scheduling. */
  const at = (time: number, event: () => void) => {
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      // The list runs backwards, so that the next event is its last.
      if ((events[middle] as { time: number }).time > time) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, { time, event });
  };

  return {
    now: () => now,
    at,
    pass: (milliseconds) => new Promise((resolve) => at(now + milliseconds, resolve)),
    async run() {
      for (let next = events.pop(); next; next = events.pop()) {
        now = next.time;
        next.event();
        // Lets pending promises settle before the next event.
        await new Promise(setImmediate);
      }
    },
  };
}
