import { minutes, seconds } from '../contract/durations.ts';
import type { Arrived } from './provider.ts';

/** How often a provider is asked about one call, however many pages and impatient fingers ask us. */
const pause = seconds(2);
/** Longer than any call is waited for. */
const forgets = minutes(10);

interface Heard {
  readonly at: number;
  readonly answer: Promise<Arrived>;
}

interface Awaited {
  readonly provider: string;
  readonly reference: string;
}

type Ask = (awaited: Awaited) => Promise<Arrived>;

/** Asks whether calls have arrived: who asks again within two seconds is told the same. */
export function openArrivals(ask: Ask, now: () => number): Ask {
  /** In the order of asking, so that what is to be forgotten is at the front. */
  const heard = new Map<string, Heard>();
  return (awaited) => {
    const at = now();
    for (const [old, { at: then }] of heard) {
      if (Math.abs(at - then) < forgets) break;
      heard.delete(old);
    }
    const key = `${awaited.provider} ${awaited.reference}`;
    const before = heard.get(key);
    // A clock that was set back makes no pause longer.
    if (before && Math.abs(at - before.at) < pause) return before.answer;
    const answer = ask(awaited);
    heard.delete(key);
    heard.set(key, { at, answer });
    return answer;
  };
}
