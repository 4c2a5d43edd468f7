import { isSupportedCountry, type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CallWay } from '../contract/call-ways.ts';

/**
 * Types that a person answers, at the usual price of a call. All other types are expensive or reach a company: premium
 * rate, shared cost, personal numbers that forward (RFC 6116's 070), pagers, voicemail.
 */
const personal: readonly NumberType[] = ['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'VOIP'];
/** Operators charge for a message to a landline, but the message cannot be read there. */
const withMessages: readonly NumberType[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE'];
const messages: readonly CallWay[] = ['whatsapp', 'telegram', 'sms'];
/** Toll-free and premium numbers work only within their own country. */
const dialledFromAbroad: readonly NumberType[] = [...personal, undefined];

/** The number that a provider should reach. */
export interface Callee {
  /** ISO 3166. */
  readonly country: string;
  readonly type: NumberType;
}

/** Whether this is the code of a country with phone numbers: the United Kingdom is GB, not UK. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

/**
 * Country and type of a number (E.164); undefined if it has no country, as for satellites and international networks.
 */
export function calleeOf(phone: string): Callee | undefined {
  const number = parsePhoneNumberFromString(phone);
  if (!number?.isValid() || number.isNonGeographic() || number.country === undefined) return undefined;
  return { country: number.country, type: number.getType() };
}

/** Whether we may call a number (E.164): its type can be a person's, and the operator pays for its country. */
export function isCallable(phone: string, countries: readonly string[]): boolean {
  const callee = calleeOf(phone);
  if (!callee || !personal.includes(callee.type)) return false;
  return countries.length === 0 || countries.includes(callee.country);
}

/** Whether a method can reach such a number with any provider. */
export const takes = (way: CallWay, { type }: Callee): boolean =>
  messages.includes(way) ? withMessages.includes(type) : true;

/** Whether a phone of that country can call this number (E.164) at the usual price. */
export function canDial(number: string, country: string): boolean {
  const callee = calleeOf(number);
  if (!callee) return false;
  return callee.country === country
    ? callee.type !== 'PREMIUM_RATE' && callee.type !== 'SHARED_COST'
    : dialledFromAbroad.includes(callee.type);
}
