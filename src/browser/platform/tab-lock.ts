import { after } from './timer.ts';

/**
 * Runs `work` in one tab of this browser at a time (Web Locks). A tab that has waited for `longest` milliseconds goes
 * ahead without the lock, as does a browser without Web Locks.
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
    // A DOMException comes from the lock (timeout, or locks are forbidden), not from `work`.
    if (failure instanceof DOMException) return begin();
    throw failure;
  }
}
