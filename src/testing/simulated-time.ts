/** A clock that jumps from one event to the next: minutes of waiting pass as fast as their events can be worked on. */
export interface SimulatedTime {
  now(): number;
  /** Runs something at a time, in milliseconds. */
  at(time: number, event: () => void): void;
  /** Resolves after so many milliseconds of simulated time. */
  pass(milliseconds: number): Promise<void>;
  /** Runs until nothing is left to happen. */
  run(): Promise<void>;
}

export function simulatedTime(): SimulatedTime {
  let now = 0;
  const events: { time: number; event: () => void }[] = [];

  /** Behind every event of the same time, so that what was planned first happens first. */
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
        // Whoever was told goes on before the next event, as far as they can.
        await new Promise(setImmediate);
      }
    },
  };
}
