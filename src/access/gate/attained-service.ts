import { minutes } from '../../contract/durations.ts';
import type { Origin } from '../../store/visitor.ts';

/** What has been done for whom of late; half of it is forgotten in a minute. */
export interface AttainedService {
  /** Counts one piece of work. */
  add(origin: Origin): void;
  /**
   * A measure of what an origin has had, or of its networks had, each by the sources that it may count for: of two
   * origins the one with the greater has had more. Nobody who has had nothing is below anybody.
   */
  of(origin: Origin): number;
}

const halfLife = minutes(1);
const originsKept = 50_000;

export function openAttainedService(now: () => number): AttainedService {
  // Amounts decay alike, so they are kept as logarithms of what they would be at time 0: those compare without a look at the clock.
  const measures = new Map<string, number>();
  const measureOf = (name: string): number => measures.get(name) ?? Number.NEGATIVE_INFINITY;

  const addTo = (name: string) => {
    const halvings = now() / halfLife;
    const amount = 2 ** (measureOf(name) - halvings) + 1;
    // A Map keeps insertion order, so its first key is the one that has had nothing for the longest time.
    measures.delete(name);
    measures.set(name, Math.log2(amount) + halvings);
    if (measures.size > originsKept) measures.delete(measures.keys().next().value as string);
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
