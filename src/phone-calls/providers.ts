import { type CallWay, type ConfirmationWay, confirmationWays } from '../contract/call-ways.ts';
import { phoneDigits, sentDigits } from '../contract/fields/field-sizes.ts';
import { type LanguageCode, languages } from '../contract/languages.ts';
import { SettingsError } from '../contract/settings.ts';
import { calleeOf, canDial, takes } from './callable.ts';
import { type CallPlacement, type CallProvider, CallRefused, type OrderedCall } from './provider.ts';
import { plusofon } from './providers/plusofon.ts';
import { smsRu } from './providers/sms-ru.ts';
import { smsc } from './providers/smsc.ts';
import { telegram } from './providers/telegram.ts';
import { telnyx } from './providers/telnyx.ts';
import { twilio } from './providers/twilio.ts';
import { ucaller } from './providers/ucaller.ts';
import { webhook } from './providers/webhook.ts';
import { whatsapp } from './providers/whatsapp.ts';
import { zvonok } from './providers/zvonok.ts';

const kinds = [ucaller, smsRu, zvonok, smsc, plusofon, telnyx, twilio, whatsapp, telegram, webhook] as const;

export const callProviderNames: readonly string[] = kinds.map(({ name }) => name);

/** Every setting of every provider, for the list in `server/settings/settings.ts`; all are optional there. */
export const callSettings = {
  ...ucaller.settings,
  ...smsRu.settings,
  ...zvonok.settings,
  ...smsc.settings,
  ...plusofon.settings,
  ...telnyx.settings,
  ...twilio.settings,
  ...whatsapp.settings,
  ...telegram.settings,
  ...webhook.settings,
};

/**
 * Opens the providers of `CALL_PROVIDERS` in its order, with settings parsed by `callSettings`, without any connection.
 * Throws a `SettingsError` with one line for each missing setting.
 */
export function openCallProviders(
  names: readonly string[],
  settings: Readonly<Record<string, unknown>>,
): readonly CallProvider[] {
  const wanted = [...new Set(names)].map((name) => ({ name, kind: kinds.find((kind) => kind.name === name) }));
  const missing = wanted.flatMap(({ name, kind }) =>
    kind
      ? kind.needed
          .filter((setting) => settings[setting] === undefined)
          .map((setting) => `${setting}: must be set, because CALL_PROVIDERS contains ${name}`)
      : [`CALL_PROVIDERS: knows ${callProviderNames.join(', ')}, not ${name}`],
  );
  if (missing.length > 0) throw new SettingsError(missing);
  // The required settings are present, and the provider's own schema has parsed them.
  return wanted.flatMap(({ kind }) => (kind ? [kind.open(settings as never)] : []));
}

/** The method of `CallProvider` that implements each way. */
const methods = {
  ring: 'place',
  voice: 'speak',
  reverse: 'await',
  whatsapp: 'whatsapp',
  telegram: 'telegram',
  sms: 'text',
} as const;

export const supports = (provider: CallProvider, way: CallWay): boolean => provider[methods[way]] !== undefined;

/** Providers that speak a language, including those that do not let us choose one. */
const speakersOf = (providers: readonly CallProvider[], language: LanguageCode): readonly CallProvider[] =>
  providers.filter(({ speak, spokenLanguages }) => speak && spokenLanguages?.includes(language) !== false);

export const spokenLanguagesOf = (providers: readonly CallProvider[]): readonly LanguageCode[] =>
  languages.map(({ code }) => code).filter((code) => speakersOf(providers, code).length > 0);

/** Providers that support a way for such a number and, for voice calls, speak the language. */
export function ableProviders(
  providers: readonly CallProvider[],
  { way, locale, phone }: { way: CallWay; locale: LanguageCode; phone: string },
): readonly CallProvider[] {
  const callee = calleeOf(phone);
  if (!callee || !takes(way, callee)) return [];
  const able =
    way === 'voice' ? speakersOf(providers, locale) : providers.filter((provider) => supports(provider, way));
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

interface WayPreferences {
  /** The operator's order; defaults to that of the contract. */
  readonly CONFIRMATION_WAYS?: readonly ConfirmationWay[] | undefined;
  readonly PHONE_CONFIRMATION_BY_MAIL: 'on' | 'off';
}

/**
 * The confirmation ways that we offer to visitors: in the operator's order, limited to ways that a provider supports.
 * The emailed link comes last unless the operator places it elsewhere.
 */
export function offeredWays(wishes: WayPreferences, possible: readonly CallWay[]): ConfirmationWay[] {
  const byMail = wishes.PHONE_CONFIRMATION_BY_MAIL === 'on';
  const wanted = wishes.CONFIRMATION_WAYS ?? confirmationWays;
  return [...new Set([...wanted, 'mail' as const])].filter((way) => (way === 'mail' ? byMail : possible.includes(way)));
}
