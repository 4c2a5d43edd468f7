import { after } from './timer.ts';

/**
 * Does what the tabs of this browser may only do one after the other (Web Locks). Whoever has waited for `longest`
 * milliseconds goes ahead, as does a browser that knows no turns.
 */
export async function withTabLock<Result>(name: string, longest: number, work: () => Promise<Result>): Promise<Result> {
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) return work();
  const waiting = new AbortController();
  const stop = after(longest, () => waiting.abort());
  const begin = () => {
    stop();
    return work();
  };
  try {
    return await locks.request(name, { signal: waiting.signal }, begin);
  } catch (failure) {
    // Neither is one of the work's own: too long a wait, or no right to any turn.
    if (failure instanceof DOMException) return begin();
    throw failure;
  }
}
