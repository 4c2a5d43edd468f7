import { Failure } from '../../contract/failures.ts';
import type { Origin } from '../../store/visitor.ts';
import type { RateLimiter } from './rate-limiter.ts';

interface StoredRequest {
  /** Id of the browser's session, live or ended: many people of an office share one address. */
  readonly sessionId: string | undefined;
  readonly visitor: Origin;
}

/**
 * Limits requests of applications that stay stored until they expire, by session or, without one, by source. Throws
 * `try_again_later`.
 */
export function countStoredRequest(limit: RateLimiter, { sessionId, visitor }: StoredRequest): void {
  const from = sessionId === undefined ? visitor : { source: `session ${sessionId}`, networks: [] };
  const wait = limit.wait(from);
  if (wait > 0) throw new Failure('try_again_later', { retryAfter: Math.ceil(wait / 1000) });
  limit.count(from);
}
