import { type CallWay, callWays } from '../contract/call-ways.ts';
import { minutes, seconds } from '../contract/durations.ts';
import { type LanguageCode, languages } from '../contract/languages.ts';
import { openArrivals } from './arrivals.ts';
import {
  type Arrived,
  type CallProvider,
  CallRefused,
  type Checked,
  type Examination,
  type OrderedCall,
  type Placed,
  type RefusalReason,
} from './provider.ts';

/** A person waits for the answer, and the contract promises one in five seconds. */
const answerWithin = seconds(4.5);
/** Leaves a second provider as long as the first; the last one may use all that is left. */
const longestAttempt = seconds(2.2);
const restsFor = minutes(1);
/** One provider may be wrong about a number; of two the person is told. */
const sayItIsNoNumber = 2;
/** A provider that keeps to its time knows better than we do whether it was asked at all. */
const graceOfOwnRefusal = 50;

/** A call that somebody has placed. */
export interface PlacedCall {
  readonly provider: string;
  readonly placed: Placed;
  /** Calls of others, asked before and silent, that may ring as well. */
  readonly mayAlsoRing: number;
}

/** What `vestibule doctor` tells of a provider. */
export interface ExaminedProvider extends Examination {
  readonly provider: string;
  /** Absent when it is well. */
  readonly refused?: { readonly reason: RefusalReason; readonly message: string };
}

export interface Calls {
  /**
   * Reaches a phone with the first provider that will; those whose earlier call to it did not arrive are asked last.
   * Throws `CallRefused`: reason `number` when all, or two, say that the number is none.
   */
  reach(way: CallWay, call: OrderedCall, missed?: readonly string[]): Promise<PlacedCall>;
  /** The ways in which anyone can reach a phone. */
  readonly ways: readonly CallWay[];
  /** The languages in which anyone can speak the digits. */
  readonly spokenLanguages: readonly LanguageCode[];
  /** For a call of the kind `checked`: asks whoever placed it. Throws `CallRefused` when that one does not answer. */
  check(asked: { readonly provider: string; readonly reference: string; readonly digits: string }): Promise<Checked>;
  /** For a call of the kind `awaited`: asks whoever waits for it. Throws `CallRefused` likewise. */
  arrived(asked: { readonly provider: string; readonly reference: string }): Promise<Arrived>;
  examine(): Promise<readonly ExaminedProvider[]>;
}

interface CallsDeps {
  /** In order of trial. */
  readonly providers: readonly CallProvider[];
  readonly log: Record<'info' | 'warn', (details: object, event: string) => void>;
  readonly now: () => number;
  /** Told of every try: `placed`, or the reason of the refusal. */
  readonly count?: (tried: { readonly provider: string; readonly outcome: string }) => void;
}

/** What a provider that goes this way has. */
const methods = { ring: 'place', voice: 'speak', reverse: 'await', telegram: 'telegram', sms: 'text' } as const;

/** Whether a provider reaches phones in a way. */
export const goes = (provider: CallProvider, way: CallWay): boolean => provider[methods[way]] !== undefined;

/** Places calls with whichever provider will, asking each at most once a call. */
export function openCalls({ providers, log, now, count = () => undefined }: CallsDeps): Calls {
  /** An empty or wrong account is not put right within a minute; until then nobody waits for it. */
  const restUntil = new Map<CallProvider, number>();
  const isAwake = (provider: CallProvider) => now() >= (restUntil.get(provider) ?? 0);
  const speakersOf = (language: LanguageCode) =>
    providers.filter(({ speak, spokenLanguages }) => speak && spokenLanguages?.includes(language) !== false);
  const whoGoes = (way: CallWay, language: LanguageCode) =>
    way === 'voice' ? speakersOf(language) : providers.filter((provider) => goes(provider, way));

  /** Asks one provider; a refusal is written down and returned. */
  async function attempt(
    provider: CallProvider,
    id: string,
    work: () => Promise<Placed>,
  ): Promise<Placed | CallRefused> {
    const began = performance.now();
    const about = () => ({ call: id, provider: provider.name, ms: Math.round(performance.now() - began) });
    try {
      const placed = await work();
      restUntil.delete(provider);
      log.info({ ...about(), kind: placed.kind }, 'call placed');
      count({ provider: provider.name, outcome: 'placed' });
      return placed;
    } catch (error) {
      const refused = asRefused(error);
      log.warn({ ...about(), reason: refused.reason, error: refused.message }, 'call not placed');
      count({ provider: provider.name, outcome: refused.reason });
      if (refused.reason === 'balance' || refused.reason === 'credentials') restUntil.set(provider, now() + restsFor);
      return refused;
    }
  }

  /** Asks whoever has a call of ours in hand. */
  async function askAgain<Heard>(
    name: string,
    question: (provider: CallProvider | undefined, signal: AbortSignal) => Promise<Heard>,
  ): Promise<Heard> {
    const provider = providers.find((one) => one.name === name);
    try {
      return await bounded(answerWithin, (signal) => question(provider, signal));
    } catch (error) {
      const refused = asRefused(error);
      log.warn({ provider: name, reason: refused.reason, error: refused.message }, 'call not checked');
      throw refused;
    }
  }

  async function tryEach(all: readonly CallProvider[], call: OrderedCall, way: CallWay): Promise<PlacedCall> {
    const ask = (provider: CallProvider, signal: AbortSignal) =>
      provider[methods[way]]?.(call, signal) ?? cannot('go this way');
    const awake = all.filter(isAwake);
    const candidates = awake.length > 0 ? awake : all;
    const deadline = performance.now() + answerWithin;
    const refusals: CallRefused[] = [];
    const mayRing = () => refusals.reduce((sum, refused) => sum + refused.mayRing, 0);
    for (const [index, provider] of candidates.entries()) {
      const within = shareOf(deadline - performance.now(), candidates.length - index);
      const placed = await attempt(provider, call.id, () => bounded(within, (signal) => ask(provider, signal)));
      if (!(placed instanceof CallRefused)) return { provider: provider.name, placed, mayAlsoRing: mayRing() };
      refusals.push(placed);
      if (refusals.filter(({ reason }) => reason === 'number').length === sayItIsNoNumber) break;
    }
    throw new CallRefused(reasonOfAll(refusals), 'no provider placed the call', { mayRing: mayRing() });
  }

  return {
    spokenLanguages: languages.map(({ code }) => code).filter((code) => speakersOf(code).length > 0),
    ways: callWays.filter((way) => providers.some((provider) => goes(provider, way))),
    reach: (way, call, missed) => tryEach(inOrder(whoGoes(way, call.locale), missed), call, way),
    check: ({ provider, ...asked }) =>
      askAgain(provider, (one, signal) => one?.check?.(asked, signal) ?? cannot('check this call')),
    arrived: openArrivals(
      ({ provider, ...asked }) =>
        askAgain(provider, (one, signal) => one?.arrived?.(asked, signal) ?? cannot('wait for a call')),
      now,
    ),
    examine: () => Promise.all(providers.map(examineOne)),
  };
}

async function examineOne(provider: CallProvider): Promise<ExaminedProvider> {
  try {
    return { provider: provider.name, ...(await bounded(answerWithin, (signal) => provider.examine(signal))) };
  } catch (error) {
    const { reason, message } = asRefused(error);
    return { provider: provider.name, refused: { reason, message } };
  }
}

function reasonOfAll(refusals: readonly CallRefused[]): RefusalReason {
  const reasons = refusals.map(({ reason }) => reason);
  if (reasons.filter((reason) => reason === 'number').length >= sayItIsNoNumber) return 'number';
  const [only = 'unavailable', ...others] = new Set(reasons);
  return others.length === 0 ? only : 'unavailable';
}

/** What went wrong on its way to this phone may go wrong again. */
const inOrder = (providers: readonly CallProvider[], missed: readonly string[] = []): CallProvider[] =>
  [false, true].flatMap((last) => providers.filter(({ name }) => missed.includes(name) === last));

/** Milliseconds for the next of so many providers: the last may use all that is left. */
const shareOf = (left: number, providers: number): number =>
  providers === 1 ? left : Math.min(longestAttempt, left / providers);

/** Ends on time, even where a provider ignores the signal. */
function bounded<Result>(within: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(within)));
  const late = new Promise<never>((_, reject) => {
    const end = () => reject(new CallRefused('unavailable', 'no answer in time'));
    signal.addEventListener('abort', () => setTimeout(end, graceOfOwnRefusal), { once: true });
  });
  return Promise.race([late, (async () => work(signal))()]);
}

async function cannot(what: string): Promise<never> {
  throw new CallRefused('unavailable', `this provider is no longer set up, or cannot ${what}`, { mayRing: 0 });
}

/** Of a mistake in our own code only the name is told: its message may hold what nobody should read. */
const asRefused = (error: unknown): CallRefused =>
  error instanceof CallRefused
    ? error
    : new CallRefused('unavailable', `failed unexpectedly (${error instanceof Error ? error.name : typeof error})`);
