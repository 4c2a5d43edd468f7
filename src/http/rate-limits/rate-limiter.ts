import type { Origin } from '../../store/visitor.ts';

/**
 * Counts by source and by the networks around it over a sliding window, in the memory of this node: a soft limit,
 * forgotten at a restart. To ask and to count in one go is atomic, so parallel requests cannot pass together.
 */
export interface RateLimiter {
  /** Counts one, and returns how to take it back where nothing came of it. */
  count(origin: Origin): () => void;
  /** 0 while the origin is below its limit, else the milliseconds until it is again. */
  wait(origin: Origin): number;
}

const keysKept = 50_000;

interface RateLimiterOptions {
  /** For a source; a network may have as many times more as sources that it counts for. */
  readonly limit: number;
  /** Milliseconds. */
  readonly within: number;
  readonly now: () => number;
}

export function openRateLimiter({ limit, within, now }: RateLimiterOptions): RateLimiter {
  const seen = new Map<string, number[]>();

  const keysOf = ({ source, networks }: Origin) => [
    { name: source, most: limit },
    ...networks.map(({ name, sources }) => ({ name, most: limit * sources })),
  ];
  const recent = (name: string) => (seen.get(name) ?? []).filter((at) => at > now() - within);

  return {
    count(origin) {
      const at = now();
      const keys = keysOf(origin);
      for (const { name, most } of keys) {
        const times = [...recent(name), at].slice(-most);
        // Behind the others again, so that the first is the one that nobody asked about for longest.
        seen.delete(name);
        seen.set(name, times);
        if (seen.size > keysKept) seen.delete(seen.keys().next().value as string);
      }
      return () => {
        for (const { name } of keys) {
          const times = seen.get(name) ?? [];
          if (times.includes(at)) times.splice(times.indexOf(at), 1);
        }
      };
    },
    wait(origin) {
      const waits = keysOf(origin).map(({ name, most }) => {
        const times = recent(name);
        return times.length < most ? 0 : (times.at(-most) as number) + within - now();
      });
      return Math.max(...waits);
    },
  };
}
