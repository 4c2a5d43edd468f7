import { availableParallelism } from 'node:os';
import { seconds } from '../../contract/durations.ts';
import { Failure } from '../../contract/failures.ts';
import type { Origin } from '../../store/visitor.ts';
import { openAttainedService } from './attained-service.ts';
import { type Lane, openWaitingRoom } from './lanes.ts';

export interface Place {
  readonly from: Origin;
  readonly lane: Lane;
  /** What only one at a time may be worked on, such as an account; its others wait, and hold nobody else up. */
  readonly alone?: string;
}

interface Options {
  /** How many may be inside at once. */
  readonly inside?: number;
  readonly perSource?: number;
  readonly perLane?: number;
  /** Milliseconds on a steady clock. */
  readonly now?: () => number;
}

export interface FairGate {
  /** Runs `work` when its turn comes. Refuses with `try_again_later`, before any work, whoever finds no room or waits too long. */
  run<T>(place: Place, work: () => Promise<T>): Promise<T>;
  /** How it goes, for whoever is on call. */
  state(): GateState;
}

export interface GateState {
  readonly inside: number;
  readonly waiting: Readonly<Record<Lane, number>>;
  /** Since the start: who was let in, who was sent away, and in milliseconds how long people waited and worked. */
  readonly admitted: number;
  readonly refused: number;
  readonly waited: number;
  readonly worked: number;
}

/**
 * As many as there are hashes at once (`security/passwords.ts`), and as many again that the database has yet to answer:
 * nobody holds a hash's slot while they wait for something else.
 */
const insideAtOnce = 2 * availableParallelism();
/** A browser that has no answer by then says so. */
const patience = seconds(10);

/** A door for expensive work that stays fair under a flood, whoever sends it and however many of them. */
export function openFairGate({
  // mutation: everybody-inside
  inside: mostInside = insideAtOnce,
  perSource = 64,
  // mutation: few-may-wait
  perLane = 512,
  now = () => performance.now(),
}: Options = {}): FairGate {
  const served = openAttainedService(now);
  const room = openWaitingRoom({ perSource, perLane, patience, served, now });
  const busy = new Set<string>();
  const total = { admitted: 0, refused: 0, waited: 0, worked: 0 };
  let inside = 0;

  function enter({ from, lane, alone }: Place): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => {
        total.refused += 1;
        reject(new Failure('try_again_later', { retryAfter: 2 }));
      };
      if (!room.add({ from, lane, alone, since: now(), admit: resolve, refuse })) return refuse();
      admit();
    });
  }

  function admit(): void {
    while (inside < mostInside) {
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

  function leave({ alone }: Place): void {
    inside -= 1;
    if (alone !== undefined) busy.delete(alone);
    room.refuseImpatient();
    admit();
  }

  return {
    async run(place, work) {
      await enter(place);
      const began = now();
      try {
        return await work();
      } finally {
        total.worked += now() - began;
        leave(place);
      }
    },
    state: () => ({ inside, waiting: room.waiting(), ...total }),
  };
}
