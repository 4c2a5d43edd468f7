import { callLifetime } from '../../contract/call-ways.ts';

/** Longer than any wait for a call. */
const forgets = 2 * callLifetime;

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
  /** How long (ms) a cached status is served, however many pages and impatient users request it. */
  readonly pause: number;
}

/** Queries providers for the status of calls and messages, each at most once per pause. */
export function openCallStatusCache<Standing>(ask: FetchStatus<Standing>, { now, pause }: Pace): FetchStatus<Standing> {
  /** Ordered by time of the query, so the oldest entries are at the front. */
  const heard = new Map<string, CachedStatus<Standing>>();
  return (awaited) => {
    const at = now();
    for (const [old, { at: then }] of heard) {
      if (Math.abs(at - then) < forgets) break;
      heard.delete(old);
    }
    const key = `${awaited.provider} ${awaited.reference}`;
    const before = heard.get(key);
    // The absolute difference keeps a clock that was set back from extending the pause.
    if (before && Math.abs(at - before.at) < pause) return before.answer;
    const response = ask(awaited);
    heard.delete(key);
    heard.set(key, { at, answer: response });
    return response;
  };
}
