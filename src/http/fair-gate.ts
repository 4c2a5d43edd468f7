import { availableParallelism } from 'node:os';
import { Failure } from '../contract/failures.ts';

/** Who waits: a device that signed in before goes first, a source with many failures goes last. */
export type Lane = 'known' | 'usual' | 'late';

const lanes: readonly Lane[] = ['known', 'usual', 'late'];

interface Options {
  /** Hashes at once; more than there are cores makes all of them slower. */
  readonly atOnce?: number;
  readonly waitingPerSource?: number;
  readonly waiting?: number;
}

export interface FairGate {
  /**
   * Runs `work` when its turn comes. Refuses with `try_again_later`, before any work, when its source
   * or the whole gate has too many waiting.
   */
  run<T>(place: { readonly source: string; readonly lane: Lane }, work: () => Promise<T>): Promise<T>;
}

/**
 * A door for expensive work that stays fair under a flood: as many at once as there are cores, and the waiting
 * ones are let in by turns, one from each source, so that a source with a thousand requests delays itself alone.
 */
export function openFairGate({
  atOnce = availableParallelism(),
  waitingPerSource = 64,
  waiting: mostWaiting = 512,
}: Options = {}): FairGate {
  // A Map keeps insertion order: the first key is the source whose turn it is, and it goes to the end after it.
  const queues: Record<Lane, Map<string, (() => void)[]>> = { known: new Map(), usual: new Map(), late: new Map() };
  let running = 0;
  let waiting = 0;

  function enter(source: string, lane: Lane): Promise<void> {
    if (running < atOnce && waiting === 0) {
      running += 1;
      return Promise.resolve();
    }
    const queue = queues[lane].get(source) ?? [];
    // Known devices have room of their own, so that a flood from new ones cannot fill the gate before them.
    const room = lane === 'known' ? mostWaiting * 2 : mostWaiting;
    if (queue.length >= waitingPerSource || waiting >= room) {
      return Promise.reject(new Failure('try_again_later', { retryAfter: 2 }));
    }
    waiting += 1;
    queues[lane].set(source, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  function leave(): void {
    running -= 1;
    const lane = lanes.find((candidate) => queues[candidate].size > 0);
    if (!lane) return;
    const [turn] = queues[lane];
    if (!turn) return;
    const [source, queue] = turn;
    queues[lane].delete(source);
    const next = queue.shift();
    if (queue.length > 0) queues[lane].set(source, queue);
    waiting -= 1;
    running += 1;
    next?.();
  }

  return {
    async run({ source, lane }, work) {
      await enter(source, lane);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
