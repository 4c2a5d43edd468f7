import { AsYouType, type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type LanguageCode, regions } from '../languages.ts';

const parse = (text: string, region?: string): string | undefined => {
  const number = parsePhoneNumberFromString(text, region as CountryCode | undefined);
  return number?.isValid() ? number.number : undefined;
};

/** Digits without a mark of a national number: a leading zero, or an area code in parentheses (ITU-T E.123). */
const mayBeInternational = /^[\s\p{Cf}]*[1-9][^(]*$/u;

/**
 * The numbers, in E.164, that someone may mean by what they typed in a region: with `+` or `00`, the one that it is;
 * otherwise the number as people of the region write it, and the one whose country code the digits begin with.
 */
export function phoneReadings(typed: string, region: string): readonly string[] {
  const text = typed.normalize('NFKC').replace(/^\s*00/, '+');
  const national = parse(text, region);
  const digits = text.replaceAll(/\D/g, '');
  // Every Chinese mobile number begins with 1, the code of North America: a third of them would be two numbers.
  const isChinese = national?.startsWith('+861') && digits.length === 11;
  const international = national && !isChinese && mayBeInternational.test(text) ? parse(`+${digits}`) : undefined;
  return [...new Set([national, international])].filter((number) => number !== undefined);
}

/**
 * Reads a phone number in any human form: with `+`, with `00`, or as people of the region write it. Returns E.164, or
 * undefined if libphonenumber knows no such number, or two (`phoneReadings`).
 */
export function readPhone(typed: string, region: string): string | undefined {
  const readings = phoneReadings(typed, region);
  return readings.length === 1 ? readings[0] : undefined;
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

/**
 * What the beginning of a number may be in E.164, in any country of our languages whose people dial the first digit only
 * within it, or write it as in Italy.
 */
export function nationalBeginnings(digits: string): readonly string[] {
  const found = Object.values(regions).flatMap((region) => {
    const number = new AsYouType(region as CountryCode);
    number.input(digits);
    const value = number.getNumberValue() ?? '';
    const isDialed = value !== `+${number.getCallingCode()}${digits}`;
    return isDialed || (region === 'IT' && digits.startsWith('0')) ? [value] : [];
  });
  return [...new Set(found)];
}

/** The country (ISO 3166) of an E.164 number. */
export const countryOfPhone = (phone: string): string | undefined => parsePhoneNumberFromString(phone)?.country;

/** Whether numbers can be read as of this country (ISO 3166). */
export const hasPhones = (region: string): boolean => isSupportedCountry(region);
