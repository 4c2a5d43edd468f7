import { AsYouType, type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { LanguageCode } from '../languages.ts';
import { regions } from './regions.ts';

/**
 * Reads a phone number in any human form: with `+`, with `00`, or as people of the region write it. Returns E.164, or
 * undefined if libphonenumber knows no such number.
 */
export function readPhone(typed: string, region: string): string | undefined {
  const number = parsePhoneNumberFromString(typed.normalize('NFKC').replace(/^\s*00/, '+'), region as CountryCode);
  return number?.isValid() ? number.number : undefined;
}

/** Writes an E.164 number in international format: `+49 1512 3456789`. */
export const writePhone = (phone: string): string => parsePhoneNumberFromString(phone)?.formatInternational() ?? phone;

/** The country of a number typed with its calling code, as soon as the digits identify it. */
export function regionOf(typed: string): string | undefined {
  const number = new AsYouType();
  number.input(typed.replace(/^\s*00/, '+'));
  return number.getCountry();
}

/** Like `readPhone`, if only the owner's language is known. */
export const readPhoneIn = (typed: string, language: LanguageCode): string | undefined =>
  readPhone(typed, regions[language]);
