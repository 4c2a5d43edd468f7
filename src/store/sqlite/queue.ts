/** Callers who take turns, in the order in which they came. */
export interface Queue {
  /** Resolves when it is the caller's turn, which lasts until `pass` or `refuse`. */
  take(): Promise<void>;
  /** Ends a turn; `later`, the next one begins only after the event loop has breathed. */
  pass(later: boolean): void;
  /** Ends a turn because of an error, which everybody who waits behind it would meet after the same wait. */
  refuse(error: unknown): void;
  isTaken(): boolean;
}

export function openQueue(): Queue {
  const waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  let isTaken = false;
  return {
    async take() {
      if (isTaken) await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
      isTaken = true;
    },
    pass(later) {
      const next = waiting.shift();
      if (!next) isTaken = false;
      else if (later) setImmediate(next.resolve);
      else next.resolve();
    },
    refuse(error) {
      isTaken = false;
      for (const { reject } of waiting.splice(0)) reject(error);
    },
    isTaken: () => isTaken,
  };
}
