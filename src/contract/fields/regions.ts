import type { LanguageCode } from '../languages.ts';

/** The region of a phone number without a country code, by its writer's language (ISO 3166-1). */
export const regions: Readonly<Record<LanguageCode, string>> = {
  ar: 'SA',
  cs: 'CZ',
  de: 'DE',
  el: 'GR',
  en: 'US',
  ru: 'RU',
  es: 'ES',
  fr: 'FR',
  hu: 'HU',
  it: 'IT',
  ja: 'JP',
  nl: 'NL',
  pl: 'PL',
  pt: 'BR',
  ro: 'RO',
  tr: 'TR',
  uk: 'UA',
  zh: 'CN',
};
