import { seconds } from '../contract/durations.ts';
import { cannot } from './able-providers.ts';
import { openArrivals } from './arrivals.ts';
import { bounded } from './bounded.ts';
import { type Arrived, asRefused, type CallProvider, type Checked, type Delivery } from './provider.ts';

/** A call or message that a provider has in hand. */
interface Placed {
  readonly provider: string;
  readonly reference: string;
}

/** What happens after a call was placed; each asks the provider that placed it. */
export interface FollowUp {
  /** For a call of the kind `checked`. Throws `CallRefused` when the provider does not respond. */
  check(asked: Placed & { readonly digits: string }): Promise<Checked>;
  /** For a call of the kind `awaited`. Throws `CallRefused` likewise. */
  arrived(asked: Placed): Promise<Arrived>;
  /** What became of a message. Throws `CallRefused` likewise. */
  delivery(asked: Placed): Promise<Delivery>;
  /** Reports a confirmation to the sender of the message, in the background. */
  succeeded(asked: Placed & { readonly digits: string }): void;
  /** Takes back a message whose digits no longer count, in the background. */
  revoke(asked: Placed): void;
}

interface FollowUpDeps {
  readonly providers: readonly CallProvider[];
  readonly log: Record<'warn', (details: object, event: string) => void>;
  readonly now: () => number;
  /** Milliseconds that a provider has for its response. */
  readonly within: number;
}

export function openFollowUp({ providers, log, now, within }: FollowUpDeps): FollowUp {
  async function askAgain<Heard>(
    name: string,
    question: (provider: CallProvider | undefined, signal: AbortSignal) => Promise<Heard>,
  ): Promise<Heard> {
    const provider = providers.find((one) => one.name === name);
    try {
      return await bounded(within, (signal) => question(provider, signal));
    } catch (error) {
      const refused = asRefused(error);
      log.warn({ provider: name, reason: refused.reason, error: refused.message }, 'call not checked');
      throw refused;
    }
  }
  return {
    check: ({ provider, ...asked }) =>
      askAgain(provider, (one, signal) => one?.check?.(asked, signal) ?? cannot('check this call')),
    arrived: openArrivals<Arrived>(
      ({ provider, ...asked }) =>
        askAgain(provider, (one, signal) => one?.arrived?.(asked, signal) ?? cannot('wait for a call')),
      { now, pause: seconds(2) },
    ),
    delivery: openArrivals<Delivery>(
      ({ provider, ...asked }) =>
        askAgain(provider, async (one, signal) => (await one?.delivery?.(asked, signal)) ?? 'under way'),
      { now, pause: seconds(15) },
    ),
    succeeded: ({ provider, ...asked }) =>
      inBackground(askAgain(provider, async (one, signal) => one?.succeeded?.(asked, signal))),
    revoke: ({ provider, ...asked }) =>
      inBackground(askAgain(provider, async (one, signal) => one?.revoke?.(asked, signal))),
  };
}

/** It is logged, and nobody waits for it. */
const inBackground = (work: Promise<unknown>): void => void work.catch(() => undefined);
