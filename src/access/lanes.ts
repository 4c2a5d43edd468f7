import { Failure } from '../contract/failures.ts';
import { minutes, seconds } from '../contract/units.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
import type { Origin } from '../store/visitor.ts';

/** How much work each origin has had recently; the amount halves every minute. */
type AttainedService = ReturnType<typeof openAttainedService>;

const halfLife = minutes(1);
const originsKept = 20_000;

export function openAttainedService(now: () => number) {
  // All amounts decay at the same rate, so we store the logarithm of each at time 0: those compare without a clock.
  const measures = new BoundedMap<string, number>(originsKept);
  const measureOf = (name: string): number => measures.get(name) ?? Number.NEGATIVE_INFINITY;

  const addTo = (name: string) => {
    const halvings = now() / halfLife;
    const amount = 2 ** (measureOf(name) - halvings) + 1;
    // Moves the name to the end, so that the oldest is the least recently served one.
    measures.delete(name);
    measures.set(name, Math.log2(amount) + halvings);
  };

  return {
    /** Counts one piece of work. */
    add({ source, networks }: Origin): void {
      addTo(source);
      for (const { name } of networks) addTo(name);
    },
    /**
     * Logarithm of the amount that an origin has had: its own, or that of one of its networks divided by the sources that
     * the network may count for, whichever is greater. `-Infinity` if it has had none.
     */
    of({ source, networks }: Origin): number {
      return networks.reduce(
        (max, { name, sources }) => Math.max(max, measureOf(name) - Math.log2(sources)),
        measureOf(source),
      );
    },
  };
}

/**
 * Known devices; browsers that have solved a task during a flood; everyone else; and sources or accounts with very many
 * attempts.
 */
export type Lane = 'known' | 'proven' | 'usual' | 'late';

/** The lane of a request that nothing else is known about. */
export const laneOf = ({ work }: Origin): Lane => (work === 'done' ? 'proven' : 'usual');

/** Milliseconds after which the browser reports an error. */
const patience = seconds(10);
/** A task takes as long. */
const patienceBeforeTask = seconds(0.3);

const patienceOf = ({ lane, from: { work } }: Waiting): number =>
  work === 'ready' && lane !== 'known' ? patienceBeforeTask : patience;

/** Refuses a request for lack of room or after a long wait; a browser that is ready for a task gets one. */
export const crowded = (): Failure => new Failure('try_again_later', { retryAfter: 2, isCrowded: true });

/** A request that waits for its turn. */
interface Waiting {
  readonly from: Origin;
  readonly lane: Lane;
  /** Key that one request at a time may work on, such as an account. */
  readonly alone: string | undefined;
  /** Milliseconds on a steady clock. */
  readonly since: number;
  admit(): void;
  refuse(): void;
}

interface Rules {
  /** How many requests may wait per source and per lane. */
  readonly perSource: number;
  readonly perLane: number;
  readonly served: AttainedService;
  readonly now: () => number;
}

/**
 * Shares of turns when all lanes have queues. No lane has strict priority: an attacker with an account also has a known
 * device, and could starve everyone else with it.
 */
const weights: Readonly<Record<Lane, number>> = { known: 4, proven: 4, usual: 3, late: 1 };
const lanes = Object.keys(weights) as Lane[];

/** Milliseconds of waiting after which the newest of equals goes first: most hardly wait, instead of all for long. */
const crowdedAfter = 900;

/**
 * Decides which requests wait and which is next: lane by weight, then the least-served source, then its first request.
 */
export function openWaitingRoom({ perSource, perLane, served, now }: Rules) {
  const queues: Record<Lane, Map<string, Waiting[]>> = {
    known: new Map(),
    proven: new Map(),
    usual: new Map(),
    late: new Map(),
  };
  const waiting: Record<Lane, number> = { known: 0, proven: 0, usual: 0, late: 0 };
  /** The turns that each lane has had, divided by its weight. */
  const turns: Record<Lane, number> = { known: 0, proven: 0, usual: 0, late: 0 };
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

  /** Refuses a request of the source with the longest queue in a full lane; of equals, the one served most. */
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
    waiting: (): Readonly<Record<Lane, number>> => ({ ...waiting }),
    /** False if there is no room. If a request with less right to a place waits, the room refuses that one instead. */
    add(one: Waiting): boolean {
      const { lane, from } = one;
      const own = queues[lane].get(from.source)?.length ?? 0;
      if (own >= perSource) return false;
      if (waiting[lane] >= perLane && !displaceFor(one, own)) return false;
      // An empty lane must not save up turns.
      if (waiting[lane] === 0) turns[lane] = Math.max(turns[lane], lastTurn);
      const queue = queues[lane].get(from.source) ?? [];
      queues[lane].set(from.source, queue);
      queue.push(one);
      waiting[lane] += 1;
      return true;
    },
    /** Removes and returns the next request whose key is not `busy`; undefined if there is none. */
    next(busy: ReadonlySet<string>): Waiting | undefined {
      const candidates = lanes.flatMap((lane) => best(lane, busy) ?? []);
      const [next] = candidates.sort((a, b) => turns[a.lane] - turns[b.lane]);
      if (!next) return undefined;
      lastTurn = turns[next.lane];
      turns[next.lane] += 1 / weights[next.lane];
      remove(next);
      return next;
    },
    refuseImpatient(): void {
      for (const lane of lanes) {
        for (const one of [...queues[lane].values()].flat()) {
          if (one.since >= now() - patienceOf(one)) continue;
          remove(one);
          one.refuse();
        }
      }
    },
  };
}
