import { type LanguageCode, languages } from '../languages.ts';

/** The region of a phone number without a country code, by its writer's language (ISO 3166-1): where most speak it. */
export const regions = Object.fromEntries(
  // CLDR would say Egypt.
  languages.map(({ code }) => [code, code === 'ar' ? 'SA' : new Intl.Locale(code).maximize().region]),
) as Readonly<Record<LanguageCode, string>>;
