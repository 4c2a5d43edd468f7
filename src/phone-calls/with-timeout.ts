import { CallRefused } from './provider.ts';

/** A provider that keeps to its time knows better than we do whether it was asked at all. */
const graceOfOwnRefusal = 50;

/** Ends within so many milliseconds, even where a provider ignores the signal. */
export function withTimeout<Result>(within: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(within)));
  const late = new Promise<never>((_, reject) => {
    const end = () => reject(new CallRefused('unavailable', 'no answer in time'));
    signal.addEventListener('abort', () => setTimeout(end, graceOfOwnRefusal), { once: true });
  });
  return Promise.race([late, (async () => work(signal))()]);
}
