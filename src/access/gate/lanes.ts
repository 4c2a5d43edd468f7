import type { Origin } from '../../store/visitor.ts';
import type { AttainedService } from './attained-service.ts';

/** Who waits: a device that signed in before, anybody, and whoever has tried very often. */
export type Lane = 'known' | 'usual' | 'late';

/** Somebody who waits for a turn. */
export interface Waiting {
  readonly from: Origin;
  readonly lane: Lane;
  /** What nobody else may be at meanwhile, such as an account. */
  readonly alone: string | undefined;
  /** Milliseconds on a steady clock. */
  readonly since: number;
  admit(): void;
  refuse(): void;
}

interface Rules {
  /** How many may wait of a source, and in a lane. */
  readonly perSource: number;
  readonly perLane: number;
  /** Milliseconds after which whoever waits in vain is sent away. */
  readonly patience: number;
  readonly served: AttainedService;
  readonly now: () => number;
}

export interface WaitingRoom {
  /** False when there is no room; where somebody with less right to it waits, they give way instead. */
  add(one: Waiting): boolean;
  /** Takes out whoever is next and at nothing that is `busy`; undefined when there is nobody. */
  next(busy: ReadonlySet<string>): Waiting | undefined;
  refuseImpatient(): void;
  /** How many wait in each lane. */
  waiting(): Readonly<Record<Lane, number>>;
}

/**
 * Shares of the turns where all lanes wait. None has precedence: whoever has an account of their own has a known
 * device, too, and could keep everybody else out with it.
 */
// mutation: failing-lane-first
const weights: Readonly<Record<Lane, number>> = { known: 4, usual: 3, late: 1 };
const lanes = Object.keys(weights) as Lane[];

/** Once somebody has waited for this long the newest of equals comes first: most then hardly wait, instead of all for long. */
const crowdedAfter = 900;

/** Decides who waits and who is next: lanes by weight, in a lane the source that has had least, of a source the first. */
export function openWaitingRoom({ perSource, perLane, patience, served, now }: Rules): WaitingRoom {
  const queues: Record<Lane, Map<string, Waiting[]>> = { known: new Map(), usual: new Map(), late: new Map() };
  const waiting: Record<Lane, number> = { known: 0, usual: 0, late: 0 };
  /** The turns that each lane has had, divided by its weight. */
  const turns: Record<Lane, number> = { known: 0, usual: 0, late: 0 };
  let lastTurn = 0;

  function best(lane: Lane, busy: ReadonlySet<string>): Waiting | undefined {
    const isFree = ({ alone }: Waiting) => alone === undefined || !busy.has(alone);
    const free = [...queues[lane].values()].flatMap((queue) => {
      const one = queue.find(isFree);
      return one ? [{ one, had: served.of(one.from), length: queue.length }] : [];
    });
    const least = Math.min(...free.map(({ had }) => had));
    const equals = free.filter(({ had }) => had === least);
    const isCrowded = equals.some(({ one }) => now() - one.since > crowdedAfter);
    const order = isCrowded ? -1 : 1;
    equals.sort((a, b) => a.length - b.length || order * (a.one.since - b.one.since));
    return equals[0]?.one;
  }

  /** In a full lane whoever has most waiting gives way to somebody who has less; of equals, whoever has had most. */
  function displaceFor({ lane, from }: Waiting, own: number): boolean {
    const mine = served.of(from);
    let victim: { last: Waiting; length: number; had: number } | undefined;
    for (const queue of queues[lane].values()) {
      const last = queue.at(-1);
      if (!last || queue.length <= own || queue.length < (victim?.length ?? 0)) continue;
      const had = served.of(last.from);
      const isShort = queue.length === own + 1;
      if (isShort && had <= mine) continue;
      if (!victim || queue.length > victim.length || had > victim.had) victim = { last, length: queue.length, had };
    }
    if (!victim) return false;
    remove(victim.last);
    victim.last.refuse();
    return true;
  }

  function remove(one: Waiting): void {
    const queue = queues[one.lane].get(one.from.source) ?? [];
    queue.splice(queue.indexOf(one), 1);
    if (queue.length === 0) queues[one.lane].delete(one.from.source);
    waiting[one.lane] -= 1;
  }

  return {
    waiting: () => ({ ...waiting }),
    add(one) {
      const { lane, from } = one;
      const own = queues[lane].get(from.source)?.length ?? 0;
      if (own >= perSource) return false;
      if (waiting[lane] >= perLane && !displaceFor(one, own)) return false;
      // A lane in which nobody waited has saved up no turns.
      if (waiting[lane] === 0) turns[lane] = Math.max(turns[lane], lastTurn);
      const queue = queues[lane].get(from.source) ?? [];
      queues[lane].set(from.source, queue);
      queue.push(one);
      waiting[lane] += 1;
      return true;
    },
    next(busy) {
      const candidates = lanes.flatMap((lane) => best(lane, busy) ?? []);
      const [next] = candidates.sort((a, b) => turns[a.lane] - turns[b.lane]);
      if (!next) return undefined;
      lastTurn = turns[next.lane];
      turns[next.lane] += 1 / weights[next.lane];
      remove(next);
      return next;
    },
    refuseImpatient() {
      const before = now() - patience;
      for (const lane of lanes) {
        for (const one of [...queues[lane].values()].flat()) {
          if (one.since >= before) continue;
          remove(one);
          one.refuse();
        }
      }
    },
  };
}
