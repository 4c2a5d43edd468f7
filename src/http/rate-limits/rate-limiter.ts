import type { FastifyReply } from 'fastify';
import { Failure, type Refusing, tooMuch } from '../../contract/failures.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Origin } from '../../store/visitor.ts';
import { isRecent, maxClockSkew } from '../../store/wrong-clock.ts';

/**
 * Counts by source and by the networks around it in a sliding window, in this node's memory: a soft limit, lost at a
 * restart. Callers `wait` and `count` without an `await` between them, so that parallel requests cannot pass together.
 */
export type RateLimiter = ReturnType<typeof openRateLimiter>;

/** Those that send most stay, because each count makes a key the most recent one. */
const keysKept = 10_000;

interface RateLimiterOptions {
  /** For one source; a network that counts as n sources may have n times as many. */
  readonly limit: number;
  readonly within: number;
  readonly now: () => number;
  /** In the header fields of responses, for programs that pace themselves. */
  readonly name?: string | undefined;
}

export function openRateLimiter({ name, limit, within, now }: RateLimiterOptions) {
  const seen = new BoundedMap<string, number[]>(keysKept);

  const keysOf = ({ source, networks }: Origin) => [
    { name: source, max: limit },
    ...networks.map(({ name, sources }) => ({ name, max: limit * sources })),
  ];
  const recent = (name: string) => (seen.get(name) ?? []).filter((at) => isRecent(at, { now: now(), within }));

  return {
    /** Counts a request. Returns a function that takes it back, for a request that had no effect. */
    count(origin: Origin): () => void {
      const at = now();
      const keys = keysOf(origin);
      for (const { name, max } of keys) {
        const times = [...recent(name), at].slice(-max);
        // Moves the key to the end, so that the oldest is always the least recently counted.
        seen.delete(name);
        seen.set(name, times);
      }
      return () => {
        for (const { name } of keys) {
          const times = seen.get(name) ?? [];
          if (times.includes(at)) times.splice(times.indexOf(at), 1);
        }
      };
    },
    /** Milliseconds until the origin is below its limit; 0 if it already is. */
    wait(origin: Origin): number {
      const waits = keysOf(origin).map(({ name, max }) => {
        const times = recent(name);
        return times.length < max ? 0 : (times.at(-max) as number) + within - now();
      });
      return Math.max(...waits);
    },
    /** What a source may still send, and in how many milliseconds it may send everything again. */
    quota(source: string): { readonly left: number; readonly resetsIn: number } {
      const times = recent(source);
      return {
        left: Math.max(0, limit - times.length),
        resetsIn: times.length > 0 ? (times[0] as number) + within - now() : 0,
      };
    },
    rule: { name, limit, within },
  };
}

/** Counts a request by its origin. Throws `too_many_requests`. */
export function countFrom(limit: RateLimiter, endpoint: Refusing<'too_many_requests'>, origin: Origin): void {
  const wait = limit.wait(origin);
  if (wait > 0) throw tooMuch(endpoint, 'too_many_requests', wait);
  limit.count(origin);
}

/** What a limit counts by, such as an account, and the response that says how much of it is left. */
interface Counted {
  readonly by: string;
  readonly reply: FastifyReply;
}

/** Limits requests that need no password, so that one account cannot slow down the others. */
export function countOf(limit: RateLimiter, endpoint: Refusing<'too_many_requests'>, { by, reply }: Counted): void {
  countFrom(limit, endpoint, { source: by, networks: [] });
  const { name, limit: quota, within } = limit.rule;
  if (name === undefined) return;
  const { left, resetsIn } = limit.quota(by);
  reply.header('ratelimit-policy', `"${name}";q=${quota};w=${within / 1000}`);
  reply.header('ratelimit', `"${name}";r=${left};t=${Math.ceil(resetsIn / 1000)}`);
}

/** Counts a request that stays stored until it expires. Throws `try_again_later`. */
export function countStoredRequest(limit: RateLimiter, origin: Origin): void {
  const wait = limit.wait(origin);
  if (wait > 0) throw new Failure('try_again_later', { retryAfter: Math.ceil(wait / 1000) });
  limit.count(origin);
}

interface FairSharesOptions {
  /** What an origin may always have. */
  readonly share: number;
  /** Requests of all origins; beyond it, each gets only its share. */
  readonly capacity: number;
  readonly within: number;
  readonly now: () => number;
}

/**
 * An office behind one address, or an application for all its users, may have far more than its share while there is room:
 * nobody is turned away for the sake of a limit. In this node's memory.
 */
export function openFairShares({ share, capacity, within, now }: FairSharesOptions) {
  const shares = openRateLimiter({ limit: share, within, now });
  const last = new Float64Array(capacity);
  let next = 0;
  return {
    /** Counts a request. Throws `try_again_later` if there are too many and its origin has had its share. */
    admit(origin: Origin): void {
      const isFull = (last[next] as number) > now() - within;
      if (isFull) countStoredRequest(shares, origin);
      else shares.count(origin);
      last[next] = now();
      next = (next + 1) % capacity;
    },
  };
}

/** Remembers in this node's memory which sources are above a limit, so that it refuses them again without any work. */
export type RefusalMemory = ReturnType<typeof openRefusalMemory>;

const sourcesKept = 10_000;

/** A restart loses it: the exact count, in the database, then refuses the next request. */
export function openRefusalMemory(now: () => number) {
  const refused = new BoundedMap<string, { readonly at: number; readonly freeAt: number }>(sourcesKept);
  return {
    /** When the source may send its next request (ms since the epoch), or 0. */
    freeAt(source: string): number {
      const { at, freeAt } = refused.get(source) ?? { at: 0, freeAt: 0 };
      // A refusal ahead of now is from a clock that was wrong.
      if (freeAt > now() && at <= now() + maxClockSkew) return freeAt;
      refused.delete(source);
      return 0;
    },
    refuse: (source: string, freeAt: number): void => void refused.set(source, { at: now(), freeAt }),
  };
}
