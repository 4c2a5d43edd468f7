/** A share of a pool's connections. */
export interface ConnectionShare {
  /** Resolves to what gives the connection back, once the share has one; rejects with `late` after `waits` ms. */
  take(waits: number, late: () => Error): Promise<() => void>;
  readonly waiting: number;
}

/** Lends at most `most` connections, in the order of the requests. */
export function openConnectionShare(most: number): ConnectionShare {
  let lent = 0;
  const queue = new Set<() => void>();

  function lend(): () => void {
    lent += 1;
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      lent -= 1;
      const [next] = queue;
      next?.();
    };
  }

  return {
    async take(waits, late) {
      if (lent < most) return lend();
      return new Promise((resolve, reject) => {
        const timer = Number.isFinite(waits) ? setTimeout(giveUp, waits) : undefined;
        function leave(): void {
          queue.delete(begin);
          clearTimeout(timer);
        }
        function begin(): void {
          leave();
          resolve(lend());
        }
        function giveUp(): void {
          leave();
          reject(late());
        }
        queue.add(begin);
      });
    },
    get waiting() {
      return queue.size;
    },
  };
}
