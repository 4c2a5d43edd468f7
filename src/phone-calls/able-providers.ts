import type { CallWay } from '../contract/call-ways.ts';
import { phoneDigits, sentDigits } from '../contract/field-sizes.ts';
import { type LanguageCode, languages } from '../contract/languages.ts';
import { calleeOf, canDial, takes } from './callable.ts';
import { type CallPlacement, type CallProvider, CallRefused, type OrderedCall } from './provider.ts';

/** The method of `CallProvider` that implements each way. */
const methods = {
  ring: 'place',
  voice: 'speak',
  reverse: 'await',
  whatsapp: 'whatsapp',
  telegram: 'telegram',
  sms: 'text',
} as const;

/** Whether a provider supports a way. */
export const goes = (provider: CallProvider, way: CallWay): boolean => provider[methods[way]] !== undefined;

/** Providers that speak a language, including those that do not let us choose one. */
const speakersOf = (providers: readonly CallProvider[], language: LanguageCode): readonly CallProvider[] =>
  providers.filter(({ speak, spokenLanguages }) => speak && spokenLanguages?.includes(language) !== false);

/** The languages that at least one provider speaks. */
export const spokenLanguagesOf = (providers: readonly CallProvider[]): readonly LanguageCode[] =>
  languages.map(({ code }) => code).filter((code) => speakersOf(providers, code).length > 0);

/** Providers that support a way for such a number and, for voice calls, speak the language. */
export function ableProviders(
  providers: readonly CallProvider[],
  { way, locale, phone }: { way: CallWay; locale: LanguageCode; phone: string },
): readonly CallProvider[] {
  const callee = calleeOf(phone);
  if (!callee || !takes(way, callee)) return [];
  const able = way === 'voice' ? speakersOf(providers, locale) : providers.filter((provider) => goes(provider, way));
  return able.filter(({ reaches }) => reaches?.(way, callee) ?? true);
}

/** How many digits a provider's method delivers; a caller's number delivers its last ones. */
export function digitsOf({ spokenDigits }: CallProvider, way: CallWay): typeof phoneDigits | typeof sentDigits {
  if (way === 'ring' || way === 'reverse') return phoneDigits;
  return (way === 'voice' ? spokenDigits : undefined) ?? sentDigits;
}

/** The digits that go to a provider: six if its method takes six and the call has them. */
export const codeFor = (provider: CallProvider, { way, call }: { way: CallWay; call: OrderedCall }): string =>
  (digitsOf(provider, way) === sentDigits ? call.longCode : undefined) ?? call.code;

/** Sends one request to a provider to reach a phone in a way. */
export async function askProvider(
  provider: CallProvider,
  { way, call, signal }: { way: CallWay; call: OrderedCall; signal: AbortSignal },
): Promise<CallPlacement> {
  const { longCode: _, ...ordered } = call;
  const placed = await (provider[methods[way]]?.({ ...ordered, code: codeFor(provider, { way, call }) }, signal) ??
    cannot('reach phones this way'));
  if (placed.kind === 'awaited' && !canDial(placed.number, calleeOf(call.phone)?.country ?? ''))
    throw new CallRefused('rejected', 'this phone cannot call the number that the provider named');
  return placed;
}

export async function cannot(what: string): Promise<never> {
  throw new CallRefused('unavailable', `this provider is no longer configured, or cannot ${what}`, { mayRing: 0 });
}
