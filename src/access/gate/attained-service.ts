import { minutes } from '../../contract/durations.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Origin } from '../../store/visitor.ts';

/** How much work each origin has had recently; the amount halves every minute. */
export interface AttainedService {
  /** Counts one piece of work. */
  add(origin: Origin): void;
  /**
   * Logarithm of the amount that an origin has had: its own, or that of one of its networks divided by the sources that
   * the network may count for, whichever is greater. `-Infinity` if it has had none.
   */
  of(origin: Origin): number;
}

const halfLife = minutes(1);
const originsKept = 20_000;

export function openAttainedService(now: () => number): AttainedService {
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
    add({ source, networks }) {
      addTo(source);
      for (const { name } of networks) addTo(name);
    },
    of({ source, networks }) {
      return networks.reduce(
        (most, { name, sources }) => Math.max(most, measureOf(name) - Math.log2(sources)),
        measureOf(source),
      );
    },
  };
}
