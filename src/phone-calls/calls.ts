import { type CallWay, callWays } from '../contract/call-ways.ts';
import { minutes, seconds } from '../contract/durations.ts';
import type { phoneDigits, sentDigits } from '../contract/field-sizes.ts';
import type { LanguageCode } from '../contract/languages.ts';
import type { ProviderRate } from '../store/calls/call-outcomes.ts';
import { ableProviders, askProvider, codeFor, digitsOf, goes, spokenLanguagesOf } from './able-providers.ts';
import { missedProvidersLast, orderProviders } from './delivery-rates/provider-order.ts';
import { type ExaminedProvider, examineProvider } from './examine-provider.ts';
import { type FollowUp, openFollowUp } from './follow-up.ts';
import {
  asRefused,
  type CallPlacement,
  type CallProvider,
  CallRefused,
  type OrderedCall,
  type RefusalReason,
} from './provider.ts';
import { withTimeout } from './with-timeout.ts';

/** A person waits for the answer, and the contract promises one in five seconds. */
const answerWithin = seconds(4.5);
/** Leaves a second provider as long as the first; the last one may use all that is left. */
const longestAttempt = seconds(2.2);
const restsFor = minutes(1);
/** One provider may be wrong about a number; of two the person is told. */
const sayItIsNoNumber = 2;

/** A call that somebody has placed. */
export interface PlacedCall {
  readonly provider: string;
  readonly placed: CallPlacement;
  /** How many digits confirm it, and which of ours were sent. */
  readonly digits: typeof phoneDigits | typeof sentDigits;
  readonly code: string;
  /** Calls of others, asked before and silent, that may ring as well. */
  readonly mayAlsoRing: number;
}

/** What an attempt is counted for before it is made. */
export interface CallCharge {
  giveBack(): Promise<void>;
}

interface RoutingOptions {
  /** Those whose earlier call to this phone did not arrive are asked last. */
  readonly missed?: readonly string[];
  /** How it went of late in this way to this country. */
  readonly rates?: readonly ProviderRate[];
  /** Pays for asking one provider; undefined where too little is left for it, which is then not asked. */
  readonly pay?: (provider: string) => Promise<CallCharge | undefined>;
}

export interface Calls extends FollowUp {
  /**
   * Reaches a phone with the first provider that will. Throws `CallRefused`: reason `number` when all, or two, say that
   * the number is none; `budget` when nothing was left to ask anybody with.
   */
  reach(way: CallWay, call: OrderedCall, circumstances?: RoutingOptions): Promise<PlacedCall>;
  /** The names of those who go a way to such a number, and speak the language where it is spoken. */
  whoGoes(way: CallWay, to: { readonly locale: LanguageCode; readonly phone: string }): readonly string[];
  /** The ways in which anyone can reach a phone. */
  readonly ways: readonly CallWay[];
  /** The languages in which anyone can speak the digits. */
  readonly spokenLanguages: readonly LanguageCode[];
  examine(): Promise<readonly ExaminedProvider[]>;
}

interface CallsDeps {
  /** In order of trial. */
  readonly providers: readonly CallProvider[];
  readonly log: Record<'info' | 'warn', (details: object, event: string) => void>;
  readonly now: () => number;
  /** From 0 up to but not including 1: whom the calls go to that find out what arrives. */
  readonly random?: () => number;
  readonly count?: (tried: CallAttempt) => void;
}

/** One try of a provider to place a call: `placed`, or the reason of the refusal. */
export type CallAttempt = Readonly<Record<'call' | 'provider' | 'outcome', string>> & { readonly milliseconds: number };

const free: CallCharge = { giveBack: () => Promise.resolve() };

/** Places calls with whichever provider will, asking each at most once a call. */
export function openCalls(deps: CallsDeps): Calls {
  const { providers, log, now, random = Math.random, count = () => undefined } = deps;
  /** An empty or wrong account is not put right within a minute; until then nobody waits for it. */
  const restSince = new Map<CallProvider, number>();
  // A clock that was set back makes no minute longer.
  const isAwake = (provider: CallProvider) => Math.abs(now() - (restSince.get(provider) ?? -restsFor)) >= restsFor;
  /** Asks one provider; a refusal is written down and returned. */
  async function attempt(
    provider: CallProvider,
    id: string,
    work: () => Promise<CallPlacement>,
  ): Promise<CallPlacement | CallRefused> {
    const began = performance.now();
    const about = () => ({ call: id, provider: provider.name, ms: Math.round(performance.now() - began) });
    const tell = (outcome: string) =>
      count({ call: id, provider: provider.name, outcome, milliseconds: performance.now() - began });
    try {
      const placed = await work();
      restSince.delete(provider);
      log.info({ ...about(), kind: placed.kind }, 'call placed');
      tell('placed');
      return placed;
    } catch (error) {
      const refused = asRefused(error);
      log.warn({ ...about(), reason: refused.reason, error: refused.message }, 'call not placed');
      tell(refused.reason);
      if (refused.reason === 'balance' || refused.reason === 'credentials') restSince.set(provider, now());
      return refused;
    }
  }

  async function tryEach(
    all: readonly CallProvider[],
    { way, call, pay = async () => free }: { way: CallWay; call: OrderedCall } & RoutingOptions,
  ): Promise<PlacedCall> {
    const awake = all.filter(isAwake);
    const candidates = awake.length > 0 ? awake : all;
    const deadline = performance.now() + answerWithin;
    const refusals: CallRefused[] = [];
    const mayRing = () => refusals.reduce((sum, refused) => sum + refused.mayRing, 0);
    // mutation: no-second-provider, failed-provider-again, nine-seconds-in-all, first-takes-all
    for (const [index, provider] of candidates.entries()) {
      const paid = await pay(provider.name);
      if (!paid) {
        refusals.push(new CallRefused('budget', 'too little is left of the budget'));
        continue;
      }
      const within = shareOf(deadline - performance.now(), candidates.length - index);
      const placed = await attempt(provider, call.id, () =>
        withTimeout(within, (signal) => askProvider(provider, { way, call, signal })),
      );
      if (!(placed instanceof CallRefused)) {
        const code = codeFor(provider, { way, call });
        return { provider: provider.name, placed, digits: digitsOf(provider, way), code, mayAlsoRing: mayRing() };
      }
      refusals.push(placed);
      if (placed.mayRing === 0 && !placed.charged) await paid.giveBack();
      if (refusals.filter(({ reason }) => reason === 'number').length === sayItIsNoNumber) break;
    }
    const charged = refusals.some((refused) => refused.charged);
    throw new CallRefused(reasonOfAll(refusals), 'no provider placed the call', { mayRing: mayRing(), charged });
  }

  return {
    spokenLanguages: spokenLanguagesOf(providers),
    ways: callWays.filter((way) => providers.some((provider) => goes(provider, way))),
    reach(way, call, circumstances = {}) {
      const { missed = [], rates = [] } = circumstances;
      const ordered = orderProviders(ableProviders(providers, { ...call, way }), { rates, random });
      return tryEach(missedProvidersLast(ordered, missed), { way, call, ...circumstances });
    },
    whoGoes: (way, to) => ableProviders(providers, { ...to, way }).map(({ name }) => name),
    ...openFollowUp({ providers, log, now, within: answerWithin }),
    examine: () => Promise.all(providers.map((provider) => examineProvider(provider, answerWithin))),
  };
}

function reasonOfAll(refusals: readonly CallRefused[]): RefusalReason {
  const reasons = refusals.map(({ reason }) => reason);
  if (reasons.filter((reason) => reason === 'number').length >= sayItIsNoNumber) return 'number';
  const [only = 'unavailable', ...others] = new Set(reasons);
  return others.length === 0 ? only : 'unavailable';
}

/** Milliseconds for the next of so many providers: the last may use all that is left. */
const shareOf = (left: number, providers: number): number =>
  providers === 1 ? left : Math.min(longestAttempt, left / providers);
