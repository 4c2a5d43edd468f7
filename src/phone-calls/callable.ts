import { isSupportedCountry, type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CallWay } from '../contract/call-ways.ts';

/**
 * What a person answers and a caller pays a usual price for. The rest is expensive to call, or reaches a company: premium rate
 * and shared cost, personal numbers that forward (RFC 6116's 070), pagers, voice mail.
 */
const personal: readonly NumberType[] = ['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'VOIP'];
/** A message to a landline is charged and read by nobody. */
const withMessages: readonly NumberType[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE'];
/** Free or expensive numbers work within their own country only. */
const dialledFromAbroad: readonly NumberType[] = [...personal, undefined];

/** Whom a provider is to reach. */
export interface Callee {
  /** ISO 3166. */
  readonly country: string;
  readonly type: NumberType;
}

/** Whether it is the code of a country that has numbers: the United Kingdom is GB, not UK. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

/** Country and kind of a number (E.164); undefined where it belongs to no country, as satellites and international networks. */
export function calleeOf(phone: string): Callee | undefined {
  const number = parsePhoneNumberFromString(phone);
  if (!number?.isValid() || number.isNonGeographic() || number.country === undefined) return undefined;
  return { country: number.country, type: number.getType() };
}

/** Whether a number (E.164) may be called: of a kind that can be a person's, in a country that the operator pays for. */
export function isCallable(phone: string, countries: readonly string[]): boolean {
  const callee = calleeOf(phone);
  if (!callee || !personal.includes(callee.type)) return false;
  return countries.length === 0 || countries.includes(callee.country);
}

/** Whether a method can reach such a number at all, whoever goes it. */
export const takes = (way: CallWay, { type }: Callee): boolean =>
  way === 'sms' || way === 'telegram' ? withMessages.includes(type) : true;

/** Whether somebody with a number of that country can call this one (E.164) at a usual price. */
export function canDial(number: string, country: string): boolean {
  const callee = calleeOf(number);
  if (!callee) return false;
  return callee.country === country
    ? callee.type !== 'PREMIUM_RATE' && callee.type !== 'SHARED_COST'
    : dialledFromAbroad.includes(callee.type);
}
