import type { CallWay } from '../contract/call-ways.ts';
import { phoneDigits, sentDigits } from '../contract/field-sizes.ts';
import { type LanguageCode, languages } from '../contract/languages.ts';
import { calleeOf, canDial, takes } from './callable.ts';
import { type CallPlacement, type CallProvider, CallRefused, type OrderedCall } from './provider.ts';

/** What a provider that goes this way has. */
const methods = { ring: 'place', voice: 'speak', reverse: 'await', telegram: 'telegram', sms: 'text' } as const;

/** Whether a provider reaches phones in a way. */
export const goes = (provider: CallProvider, way: CallWay): boolean => provider[methods[way]] !== undefined;

/** Those who speak a language; all that speak where none of them lets us choose it. */
const speakersOf = (providers: readonly CallProvider[], language: LanguageCode): readonly CallProvider[] =>
  providers.filter(({ speak, spokenLanguages }) => speak && spokenLanguages?.includes(language) !== false);

/** The languages in which any of them speaks. */
export const spokenLanguagesOf = (providers: readonly CallProvider[]): readonly LanguageCode[] =>
  languages.map(({ code }) => code).filter((code) => speakersOf(providers, code).length > 0);

/** Those who go a way to such a number, and speak the language where it is spoken. */
export function ableProviders(
  providers: readonly CallProvider[],
  { way, locale, phone }: { way: CallWay; locale: LanguageCode; phone: string },
): readonly CallProvider[] {
  const callee = calleeOf(phone);
  if (!callee || !takes(way, callee)) return [];
  const able = way === 'voice' ? speakersOf(providers, locale) : providers.filter((provider) => goes(provider, way));
  return able.filter(({ reaches }) => reaches?.(way, callee) ?? true);
}

/** How many digits a provider's method brings: of a caller's number the last ones. */
export function digitsOf({ spokenDigits }: CallProvider, way: CallWay): typeof phoneDigits | typeof sentDigits {
  if (way === 'ring' || way === 'reverse') return phoneDigits;
  return (way === 'voice' ? spokenDigits : undefined) ?? sentDigits;
}

/** The digits that go to a provider: six where its method takes them and there are six. */
export const codeFor = (provider: CallProvider, { way, call }: { way: CallWay; call: OrderedCall }): string =>
  (digitsOf(provider, way) === sentDigits ? call.longCode : undefined) ?? call.code;

/** Asks a provider once to reach a phone in a way. */
export async function askProvider(
  provider: CallProvider,
  { way, call, signal }: { way: CallWay; call: OrderedCall; signal: AbortSignal },
): Promise<CallPlacement> {
  const { longCode: _, ...ordered } = call;
  const placed = await (provider[methods[way]]?.({ ...ordered, code: codeFor(provider, { way, call }) }, signal) ??
    cannot('go this way'));
  if (placed.kind === 'awaited' && !canDial(placed.number, calleeOf(call.phone)?.country ?? ''))
    throw new CallRefused('rejected', 'a number to call that this phone cannot reach');
  return placed;
}

export async function cannot(what: string): Promise<never> {
  throw new CallRefused('unavailable', `this provider is no longer set up, or cannot ${what}`, { mayRing: 0 });
}
