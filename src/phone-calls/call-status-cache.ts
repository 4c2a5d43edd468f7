import { minutes } from '../contract/durations.ts';

/** Longer than any call is waited for. */
const forgets = minutes(10);

interface CachedStatus<Standing> {
  readonly at: number;
  readonly answer: Promise<Standing>;
}

interface AwaitedCall {
  readonly provider: string;
  readonly reference: string;
}

type FetchStatus<Standing> = (awaited: AwaitedCall) => Promise<Standing>;

interface Pace {
  readonly now: () => number;
  /** How long (ms) an answer serves, however many pages and impatient fingers ask us. */
  readonly pause: number;
}

/** Asks providers what became of calls and messages, about each at most once in every pause. */
export function openCallStatusCache<Standing>(ask: FetchStatus<Standing>, { now, pause }: Pace): FetchStatus<Standing> {
  /** In the order of asking, so that what is to be forgotten is at the front. */
  const heard = new Map<string, CachedStatus<Standing>>();
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
