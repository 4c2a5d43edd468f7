import { type CallWay, callWays } from '../contract/call-ways.ts';
import type { phoneDigits, sentDigits } from '../contract/fields/field-sizes.ts';
import type { LanguageCode } from '../contract/languages.ts';
import { minutes, seconds } from '../contract/units.ts';
import type { ProviderRate } from '../store/calls/call-outcomes.ts';
import { type SmsSenders, senderFor } from './call-texts.ts';
import { calleeOf } from './callable.ts';
import { missedProvidersLast, orderProviders } from './delivery-rates.ts';
import { type FollowUp, openFollowUp } from './outcomes.ts';
import {
  asRefused,
  type CallPlacement,
  type CallProvider,
  CallRefused,
  type OrderedCall,
  type QuestionCall,
  type RefusalReason,
} from './provider.ts';
import { withTimeout } from './provider-request.ts';
import { type ProviderWithStatus, readProviderStatus } from './provider-status.ts';
import { ableProviders, askProvider, cannot, codeFor, digitsOf, spokenLanguagesOf, supports } from './providers.ts';

/** A user is waiting, and the contract promises a response within five seconds. */
const responseTimeout = seconds(4.5);
/** Leaves the second provider as much time as the first; the last one may use the remainder. */
const longestAttempt = seconds(2.2);
const providerPause = minutes(1);
/** One provider may be wrong about a number; we trust two that agree. */
const refusalsForInvalidNumber = 2;

export interface PlacedCall {
  readonly provider: string;
  readonly placed: CallPlacement;
  /** How many digits confirm the call, and the ones that we sent. */
  readonly digits: typeof phoneDigits | typeof sentDigits;
  readonly code: string;
  /** What it costs, as long as the provider may refund it. */
  readonly refundable?: CallCharge;
  /** Calls of providers that we tried earlier without a response; they may also ring. */
  readonly pendingRings: number;
}

/** Charge that is counted before an attempt. */
export interface CallCharge {
  /** The rate limit hits that count it. */
  readonly hits: readonly string[];
  giveBack(): Promise<void>;
}

interface RoutingOptions {
  /** Providers whose earlier call to this phone did not arrive; tried last. */
  readonly missed?: readonly string[];
  /** Recent confirmation rates of this way in this country. */
  readonly rates?: readonly ProviderRate[];
  /** Only providers that send our own words. */
  readonly ownWords?: true;
  /** Charges the attempt with one provider; undefined if the budget does not cover it, and the provider is skipped. */
  readonly pay?: (provider: string) => Promise<CallCharge | undefined>;
}

export interface Calls extends FollowUp {
  /**
   * Reaches a phone through the first provider that accepts the call. Throws `CallRefused`: reason `number` if all
   * providers, or two of them, report the number as invalid; `budget` if the budget covers no provider.
   */
  reach(way: CallWay, call: OrderedCall, circumstances?: RoutingOptions): Promise<PlacedCall>;
  /**
   * Reads a text to a phone and asks for the key 1, with the first provider that has keys and accepts the call. Throws
   * `CallRefused`.
   */
  ask(call: QuestionCall, circumstances?: Pick<RoutingOptions, 'pay'>): Promise<CallPlacement>;
  /** Names of the providers that support a way for such a number and, for voice calls, speak the language. */
  providersFor(
    way: CallWay,
    to: { readonly locale: LanguageCode; readonly phone: string },
    circumstances?: Pick<RoutingOptions, 'ownWords'>,
  ): readonly string[];
  /** The ways that at least one provider supports. */
  readonly ways: readonly CallWay[];
  /** The languages in which at least one provider speaks the digits. */
  readonly spokenLanguages: readonly LanguageCode[];
  readStatus(): Promise<readonly ProviderWithStatus[]>;
}

interface CallsDeps {
  /** The providers in the order of our attempts. */
  readonly providers: readonly CallProvider[];
  readonly log: Record<'info' | 'warn', (details: object, event: string) => void>;
  readonly now: () => number;
  /** Senders of text messages by country. */
  readonly senders?: SmsSenders;
  /** From 0 up to but not including 1: selects the provider of calls that measure what arrives. */
  readonly random?: () => number;
  readonly count?: (tried: CallAttempt) => void;
}

/** One attempt to place a call with a provider; its outcome is `placed` or the reason of the refusal. */
export type CallAttempt = Readonly<Record<'call' | 'provider' | 'outcome', string>> & { readonly milliseconds: number };

const free: CallCharge = { hits: [], giveBack: () => Promise.resolve() };

/** Places calls with the first provider that accepts them; tries each provider at most once per call. */
export function openCalls(deps: CallsDeps): Calls {
  const { providers, log, now, senders = {}, random = Math.random, count = () => undefined } = deps;
  /** Providers whose account is empty or wrong: skipped for a minute, so that users do not wait for them. */
  const restSince = new Map<CallProvider, number>();
  // The absolute difference keeps a clock that was set back from extending the minute.
  const isAwake = (provider: CallProvider) =>
    Math.abs(now() - (restSince.get(provider) ?? -providerPause)) >= providerPause;
  /** Tries one provider; logs a refusal and returns it. */
  async function attempt(
    provider: CallProvider,
    id: string,
    work: () => Promise<CallPlacement>,
  ): Promise<CallPlacement | CallRefused> {
    const began = performance.now();
    const about = () => ({ call: id, provider: provider.name, ms: Math.round(performance.now() - began) });
    const logOutcome = (outcome: string) =>
      count({ call: id, provider: provider.name, outcome, milliseconds: performance.now() - began });
    try {
      const placed = await work();
      restSince.delete(provider);
      log.info({ ...about(), kind: placed.kind }, 'call placed');
      logOutcome('placed');
      return placed;
    } catch (error) {
      const refused = asRefused(error);
      log.warn({ ...about(), reason: refused.reason, error: refused.message }, 'call not placed');
      logOutcome(refused.reason);
      if (refused.reason === 'balance' || refused.reason === 'credentials') restSince.set(provider, now());
      return refused;
    }
  }

  async function tryEach(
    all: readonly CallProvider[],
    { way, call, pay = async () => free }: { way: CallWay; call: OrderedCall } & RoutingOptions,
  ): Promise<PlacedCall> {
    const country = calleeOf(call.phone)?.country ?? '';
    const awake = all.filter(isAwake);
    const candidates = awake.length > 0 ? awake : all;
    const deadline = performance.now() + responseTimeout;
    const refusals: CallRefused[] = [];
    const mayRing = () => refusals.reduce((sum, refused) => sum + refused.mayRing, 0);
    for (const [index, provider] of candidates.entries()) {
      const paid = await pay(provider.name);
      if (!paid) {
        refusals.push(new CallRefused('budget', 'the budget does not cover this provider'));
        continue;
      }
      const within = shareOf(deadline - performance.now(), candidates.length - index);
      const sender = senderFor(senders, { provider: provider.name, country });
      const placed = await attempt(provider, call.id, () =>
        withTimeout(within, (signal) => askProvider(provider, { way, call: { ...call, sender }, signal })),
      );
      if (!(placed instanceof CallRefused))
        return { ...placedBy(provider, { way, call, placed, paid }), pendingRings: mayRing() };
      refusals.push(placed);
      if (placed.mayRing === 0 && !placed.charged) await paid.giveBack();
      if (refusals.filter(({ reason }) => reason === 'number').length === refusalsForInvalidNumber) break;
    }
    const charged = refusals.some((refused) => refused.charged);
    const why = [...new Set(refusals.map(({ message }) => message))].join('; ') || 'no provider can place the call';
    throw new CallRefused(reasonOfAll(refusals), why, { mayRing: mayRing(), charged });
  }

  const suitableFor = (way: CallWay, to: Pick<OrderedCall, 'locale' | 'phone'>, ownWords: true | undefined) =>
    ableProviders(providers, { ...to, way }).filter(({ sendsOwnWords }) => sendsOwnWords || !ownWords);

  return {
    spokenLanguages: spokenLanguagesOf(providers),
    ways: callWays.filter((way) => providers.some((provider) => supports(provider, way))),
    reach(way, call, circumstances = {}) {
      const { missed = [], rates = [], ownWords } = circumstances;
      const ordered = orderProviders(suitableFor(way, call, ownWords), { rates, random });
      return tryEach(missedProvidersLast(ordered, missed), { way, call, ...circumstances });
    },
    async ask(call, { pay = async () => free } = {}) {
      const able = providers.filter(
        ({ ask, spokenLanguages }) => ask && spokenLanguages?.includes(call.locale) !== false,
      );
      let refused = new CallRefused('unavailable', 'no provider has keys', { mayRing: 0 });
      for (const provider of able.filter(isAwake)) {
        const paid = await pay(provider.name);
        if (!paid) throw new CallRefused('budget', 'the budget does not cover this provider');
        const placed = await attempt(provider, call.id, () =>
          withTimeout(responseTimeout, async (signal) => (await provider.ask?.(call, signal)) ?? cannot('ask')),
        );
        if (!(placed instanceof CallRefused)) return placed;
        refused = placed;
        if (placed.mayRing === 0 && !placed.charged) await paid.giveBack();
        // A second provider would ring again.
        if (placed.mayRing > 0) break;
      }
      throw refused;
    },
    providersFor: (way, to, { ownWords } = {}) => suitableFor(way, to, ownWords).map(({ name }) => name),
    ...openFollowUp({ providers, log, now, within: responseTimeout }),
    readStatus: () => Promise.all(providers.map((provider) => readProviderStatus(provider, responseTimeout))),
  };
}

interface Placing {
  readonly way: CallWay;
  readonly call: OrderedCall;
  readonly placed: CallPlacement;
  readonly paid: CallCharge;
}

function placedBy(provider: CallProvider, { way, call, placed, paid }: Placing): Omit<PlacedCall, 'pendingRings'> {
  const code = codeFor(provider, { way, call });
  const done = { provider: provider.name, placed, digits: digitsOf(provider, way), code };
  return provider.refunds ? { ...done, refundable: paid } : done;
}

function reasonOfAll(refusals: readonly CallRefused[]): RefusalReason {
  const reasons = refusals.map(({ reason }) => reason);
  if (reasons.filter((reason) => reason === 'number').length >= refusalsForInvalidNumber) return 'number';
  const [only = 'unavailable', ...others] = new Set(reasons);
  return others.length === 0 ? only : 'unavailable';
}

/** Milliseconds for the next of the remaining providers; the last one may use all that is left. */
const shareOf = (left: number, providers: number): number =>
  providers === 1 ? left : Math.min(longestAttempt, left / providers);
