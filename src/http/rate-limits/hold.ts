import { BoundedMap } from '../../runtime/bounded-map.ts';

/** Remembers in this node's memory which sources are above a limit, so that it refuses them again without any work. */
export interface RateLimitHold {
  /** When the source may send its next request (ms since the epoch), or 0. */
  freeAt(source: string): number;
  hold(source: string, freeAt: number): void;
}

const sourcesKept = 10_000;

/** A restart loses the hold: the exact count, in the database, then refuses the next request. */
export function openRateLimitHold(now: () => number): RateLimitHold {
  const held = new BoundedMap<string, number>(sourcesKept);
  return {
    freeAt(source) {
      const freeAt = held.get(source) ?? 0;
      if (freeAt > now()) return freeAt;
      held.delete(source);
      return 0;
    },
    hold: (source, freeAt) => void held.set(source, freeAt),
  };
}
