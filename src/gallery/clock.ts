/** Milliseconds. Shorter timers are how screens move; longer ones are somebody waiting. */
const leastMoved = 1000;

let passed = 0;
const pending = new Map<number, { due: number; run: () => void }>();

/**
 * Gives this document a time of its own, which `passTime` moves on: what a screen says only after seconds of waiting
 * is shown without waiting.
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

/** Moves the time on, in milliseconds, and does what would have been done meanwhile. */
export function passTime(duration: number): void {
  passed += duration;
  for (const { due, run } of [...pending.values()]) if (due <= Date.now()) run();
}

/** Makes it the real time again; what still waits is waited for no longer. */
export function forgetTime(): void {
  passed = 0;
  for (const id of [...pending.keys()]) window.clearTimeout(id);
}
