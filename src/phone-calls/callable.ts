import { isSupportedCountry, type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * What a person answers and a caller pays a usual price for. The rest is expensive to call, or reaches a company: premium rate
 * and shared cost, personal numbers that forward (RFC 6116's 070), pagers, voice mail.
 */
const personal: readonly NumberType[] = ['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'VOIP'];

/** Whether it is the code of a country that has numbers: the United Kingdom is GB, not UK. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

/** Whether a number (E.164) may be called: of a kind that can be a person's, in a country that the operator pays for. */
export function isCallable(phone: string, countries: readonly string[]): boolean {
  const number = parsePhoneNumberFromString(phone);
  // Satellites and international networks belong to no country.
  if (!number?.isValid() || number.isNonGeographic() || number.country === undefined) return false;
  if (!personal.includes(number.getType())) return false;
  return countries.length === 0 || countries.includes(number.country);
}
