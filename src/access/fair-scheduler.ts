import type { Origin } from '../store/visitor.ts';
import { crowded, laneOf, openAttainedService, openWaitingRoom } from './lanes.ts';

interface Options {
  readonly perSource?: number;
  readonly maxWaiting?: number;
  /** Milliseconds on a steady clock. */
  readonly now?: () => number;
  /** Milliseconds for which this thread has used a processor. */
  readonly used?: () => number;
  /** Calls back after the event loop has handled what arrived meanwhile. */
  readonly nextTurn?: (begin: () => void) => void;
}

/**
 * Limits how many requests begin in one turn of the event loop, and begins the others in a fair order. The rest of each
 * turn belongs to pages and refreshes, which begin as they arrive.
 */
export type FairScheduler = ReturnType<typeof openFairScheduler>;

/** Milliseconds of work in a turn: pages and refreshes wait for two or three turns. */
const workPerTurn = 8;
const maxPerTurn = 64;
/**
 * Time of the processor, since fewer requests would not shorten a wait for the disk: SQLite commits those of a turn
 * together.
 */
function usedByThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function openFairScheduler({
  // An office with many people and computers shares one address.
  perSource = 1024,
  maxWaiting = 4096,
  now = () => performance.now(),
  used = usedByThread,
  nextTurn = setImmediate,
}: Options = {}) {
  const served = openAttainedService(now);
  const room = openWaitingRoom({ perSource, perLane: maxWaiting, served, now });
  /** Requests here have no key that only one at a time may work on. */
  const noneBusy: ReadonlySet<string> = new Set();
  let perTurn = maxPerTurn / 4;
  /** Requests of the current turn; undefined if no turn is planned. */
  let begun: number | undefined;
  let usedBefore = 0;
  let refused = 0;

  function countBegun(from: Origin): void {
    if (begun === undefined) {
      usedBefore = used();
      nextTurn(turn);
    }
    begun = (begun ?? 0) + 1;
    served.add(from);
  }

  function turn(): void {
    const isFull = (begun ?? 0) >= perTurn;
    if (used() - usedBefore > workPerTurn) perTurn = Math.max(1, perTurn >> 1);
    else if (isFull) perTurn = Math.min(maxPerTurn, perTurn + 1);
    begun = undefined;
    room.refuseImpatient();
    for (let next = room.next(noneBusy); next; next = (begun ?? 0) < perTurn ? room.next(noneBusy) : undefined) {
      countBegun(next.from);
      next.admit();
    }
  }

  return {
    /**
     * Resolves when a request may begin; undefined if it may begin immediately. Rejects with `try_again_later` for lack of
     * room or after a long wait.
     */
    begin(from: Origin): Promise<void> | undefined {
      const lane = laneOf(from);
      if ((begun ?? 0) < perTurn && room.waiting()[lane] === 0) {
        countBegun(from);
        return undefined;
      }
      return new Promise((admit, reject) => {
        const refuse = () => {
          refused += 1;
          reject(crowded());
        };
        if (!room.add({ from, lane, alone: undefined, since: now(), admit, refuse })) refuse();
      });
    },
    state: () => {
      const { usual, proven } = room.waiting();
      return { waiting: usual + proven, proven, refused, perTurn };
    },
  };
}
