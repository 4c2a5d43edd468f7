/** Milliseconds. Shorter timers drive animations; longer ones make the user wait. */
const leastMoved = 1000;

let passed = 0;
const pending = new Map<number, { due: number; run: () => void }>();

/**
 * Gives this document its own clock, which `passTime` advances, so that a state that takes seconds to appear is shown
 * without waiting.
 */
export function ownTime(): void {
  const [wait, stop, readTime] = [window.setTimeout.bind(window), window.clearTimeout.bind(window), Date.now];
  Date.now = () => readTime() + passed;
  Object.assign(window, {
    setTimeout(run: (...given: unknown[]) => void, delay = 0, ...given: unknown[]): number {
      if (delay < leastMoved) return wait(run, delay, ...given);
      const ring = () => {
        stop(id);
        pending.delete(id);
        run(...given);
      };
      const id = wait(ring, delay);
      pending.set(id, { due: Date.now() + delay, run: ring });
      return id;
    },
    clearTimeout(id: number): void {
      pending.delete(id);
      stop(id);
    },
  });
}

/** Advances the clock by milliseconds, and runs the timers that have become due. */
export function passTime(duration: number): void {
  passed += duration;
  for (const { due, run } of [...pending.values()]) if (due <= Date.now()) run();
}

/** Returns to the real time, and cancels pending timers. */
export function forgetTime(): void {
  passed = 0;
  for (const id of [...pending.keys()]) window.clearTimeout(id);
}
