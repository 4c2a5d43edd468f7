import { availableParallelism } from 'node:os';
import type { Origin } from '../store/visitor.ts';
import { crowded, type Lane, laneOf, openAttainedService, openWaitingRoom } from './lanes.ts';

export interface GateRequest {
  readonly from: Origin;
  /** Absent for a request that nothing else is known about. */
  readonly lane?: Lane;
  /** Key that one request at a time may work on, such as an account; others with the key wait without a slot. */
  readonly alone?: string;
}

interface Options {
  /** How many requests may be inside at the same time. */
  readonly inside?: number;
  readonly perSource?: number;
  readonly perLane?: number;
  /** Milliseconds on a steady clock. */
  readonly now?: () => number;
}

export type FairGate = ReturnType<typeof openFairGate>;

export interface GateState {
  readonly inside: number;
  readonly waiting: Readonly<Record<Lane, number>>;
  /** Since the start: requests admitted and refused, and the total milliseconds that they waited and worked. */
  readonly admitted: number;
  readonly refused: number;
  readonly waited: number;
  readonly worked: number;
}

/**
 * Twice the number of parallel hashes (`security/passwords.ts`): every core can hash while other requests wait for the
 * database.
 */
const defaultMaxInside = 2 * availableParallelism();
/** A gate for expensive work that stays fair under a flood, from one source or from many. */
export function openFairGate({
  inside: maxInside = defaultMaxInside,
  perSource = 64,
  perLane = 512,
  now = () => performance.now(),
}: Options = {}) {
  const served = openAttainedService(now);
  const room = openWaitingRoom({ perSource, perLane, served, now });
  const busy = new Set<string>();
  const total = { admitted: 0, refused: 0, waited: 0, worked: 0 };
  let inside = 0;

  function enter({ from, lane = laneOf(from), alone }: GateRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => {
        total.refused += 1;
        reject(crowded());
      };
      if (!room.add({ from, lane, alone, since: now(), admit: resolve, refuse })) return refuse();
      admit();
    });
  }

  function admit(): void {
    while (inside < maxInside) {
      const next = room.next(busy);
      if (!next) return;
      inside += 1;
      total.admitted += 1;
      total.waited += now() - next.since;
      if (next.alone !== undefined) busy.add(next.alone);
      served.add(next.from);
      next.admit();
    }
  }

  function leave({ alone }: GateRequest): void {
    inside -= 1;
    if (alone !== undefined) busy.delete(alone);
    room.refuseImpatient();
    admit();
  }

  return {
    /**
     * Runs `work` when its turn comes. Throws `try_again_later` before any work, for lack of room or after a long wait.
     */
    async run<T>(place: GateRequest, work: () => Promise<T>): Promise<T> {
      await enter(place);
      const began = now();
      try {
        return await work();
      } finally {
        total.worked += now() - began;
        leave(place);
      }
    },
    /** For metrics and the engineer on call. */
    state: (): GateState => ({ inside, waiting: room.waiting(), ...total }),
  };
}
