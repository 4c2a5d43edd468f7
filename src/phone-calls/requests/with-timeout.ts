import { CallRefused } from '../provider.ts';

/** Milliseconds for the provider's own refusal, which knows whether the request was sent. */
const graceOfOwnRefusal = 50;

/** Ends after `within` milliseconds, even if a provider ignores the signal. */
export function withTimeout<Result>(within: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(within)));
  const late = new Promise<never>((_, reject) => {
    const end = () => reject(new CallRefused('unavailable', 'no response in time'));
    signal.addEventListener('abort', () => setTimeout(end, graceOfOwnRefusal), { once: true });
  });
  return Promise.race([late, (async () => work(signal))()]);
}
