import { type Refusing, tooMuch } from '../../contract/refuse.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Limits requests that need no password, so that one account cannot slow down the others. */
export function countOf(limit: RateLimiter, endpoint: Refusing<'too_many_requests'>, accountId: string): void {
  const account = { source: accountId, networks: [] };
  const wait = limit.wait(account);
  if (wait > 0) throw tooMuch(endpoint, 'too_many_requests', wait);
  limit.count(account);
}
