import { callLifetime } from '../contract/call-ways.ts';
import { seconds } from '../contract/units.ts';
import { asRefused, type CallProvider, type Delivery, type DigitCheck, type ReverseCallStatus } from './provider.ts';
import { withTimeout } from './provider-request.ts';
import { cannot } from './providers.ts';

/** A call or message that a provider has accepted. */
interface Placed {
  readonly provider: string;
  readonly reference: string;
}

/** Requests about a placed call, each to the provider that placed it. */
export type FollowUp = ReturnType<typeof openFollowUp>;

interface FollowUpDeps {
  readonly providers: readonly CallProvider[];
  readonly log: Record<'warn', (details: object, event: string) => void>;
  readonly now: () => number;
  /** Timeout of a request to a provider, in milliseconds. */
  readonly within: number;
}

export function openFollowUp({ providers, log, now, within }: FollowUpDeps) {
  async function askAgain<Heard>(
    name: string,
    question: (provider: CallProvider | undefined, signal: AbortSignal) => Promise<Heard>,
  ): Promise<Heard> {
    const provider = providers.find((one) => one.name === name);
    try {
      return await withTimeout(within, (signal) => question(provider, signal));
    } catch (error) {
      const refused = asRefused(error);
      log.warn({ provider: name, reason: refused.reason, error: refused.message }, 'call not checked');
      throw refused;
    }
  }
  return {
    /** For a call of the kind `checked`. Throws `CallRefused` if the provider does not respond. */
    check: ({ provider, ...call }: Placed & { readonly digits: string }): Promise<DigitCheck> =>
      askAgain(provider, (one, signal) => one?.check?.(call, signal) ?? cannot('check this call')),
    /** For a call of the kind `awaited`. Throws `CallRefused` likewise. */
    arrived: openCallStatusCache<ReverseCallStatus>(
      ({ provider, ...call }) =>
        askAgain(provider, (one, signal) => one?.arrived?.(call, signal) ?? cannot('receive a reverse call')),
      { now, pause: seconds(2) },
    ),
    /** Delivery status of a message. Throws `CallRefused` likewise. */
    delivery: openCallStatusCache<Delivery>(
      ({ provider, ...call }) =>
        askAgain(provider, async (one, signal) => (await one?.delivery?.(call, signal)) ?? 'under way'),
      { now, pause: seconds(15) },
    ),
    /** Reports a confirmation to the sender of the message, in the background. */
    succeeded: ({ provider, ...call }: Placed & { readonly digits: string }): void =>
      inBackground(askAgain(provider, async (one, signal) => one?.succeeded?.(call, signal))),
    /** Revokes a message whose digits are no longer valid, in the background. */
    revoke: ({ provider, ...call }: Placed): void =>
      inBackground(askAgain(provider, async (one, signal) => one?.revoke?.(call, signal))),
  };
}

/** Ignores an error: it is already logged, and no caller waits for the result. */
const inBackground = (work: Promise<unknown>): void => void work.catch(() => undefined);

/** Longer than any wait for a call. */
const forgets = 2 * callLifetime;

interface CachedStatus<Standing> {
  readonly at: number;
  readonly answer: Promise<Standing>;
}

type FetchStatus<Standing> = (awaited: { provider: string; reference: string }) => Promise<Standing>;

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
