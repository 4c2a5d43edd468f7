/** A queue of callers that take turns in order of arrival. */
export interface Queue {
  /** Resolves when it is the caller's turn, which lasts until `pass` or `refuse`. */
  take(): Promise<void>;
  /** Ends a turn. If `later` is true, the next one begins only after other events. */
  pass(later: boolean): void;
  /** Ends a turn with an error, and fails all waiting callers, which would get the same error after the same wait. */
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
