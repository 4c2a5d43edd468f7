/** A language of the product, under the code in paths, the locale cookie and accounts. */
export interface Language {
  readonly code: string;
  /** BCP 47 tag for `lang`, `hreflang` and `Intl`. */
  readonly tag: string;
  /** The language in its own name, for the language menu. */
  readonly name: string;
  readonly dir: 'ltr' | 'rtl';
}

/** The languages in the order of the menu, which the specification fixes. */
export const languages = [
  { code: 'ar', tag: 'ar', name: 'العربية', dir: 'rtl' },
  { code: 'cs', tag: 'cs', name: 'Čeština', dir: 'ltr' },
  { code: 'de', tag: 'de', name: 'Deutsch', dir: 'ltr' },
  { code: 'el', tag: 'el', name: 'Ελληνικά', dir: 'ltr' },
  { code: 'en', tag: 'en', name: 'English', dir: 'ltr' },
  { code: 'ru', tag: 'ru', name: 'Русский', dir: 'ltr' },
  { code: 'es', tag: 'es', name: 'Español', dir: 'ltr' },
  { code: 'fr', tag: 'fr', name: 'Français', dir: 'ltr' },
  { code: 'hu', tag: 'hu', name: 'Magyar', dir: 'ltr' },
  { code: 'it', tag: 'it', name: 'Italiano', dir: 'ltr' },
  { code: 'ja', tag: 'ja', name: '日本語', dir: 'ltr' },
  { code: 'nl', tag: 'nl', name: 'Nederlands', dir: 'ltr' },
  { code: 'pl', tag: 'pl', name: 'Polski', dir: 'ltr' },
  { code: 'pt', tag: 'pt-BR', name: 'Português', dir: 'ltr' },
  { code: 'ro', tag: 'ro', name: 'Română', dir: 'ltr' },
  { code: 'tr', tag: 'tr', name: 'Türkçe', dir: 'ltr' },
  { code: 'uk', tag: 'uk', name: 'Українська', dir: 'ltr' },
  { code: 'zh', tag: 'zh-Hans', name: '简体中文', dir: 'ltr' },
] as const satisfies readonly Language[];

export type LanguageCode = (typeof languages)[number]['code'];

export const defaultLanguage: LanguageCode = 'en';

export const languageOf = (code: LanguageCode): Language =>
  languages.find((language) => language.code === code) as Language;

/**
 * The locale in which `Intl` formats numbers, dates and plurals of a language: its tag, and for English the message library's
 * default, `en-US` (specification, section 9).
 */
export const localeOf = (code: LanguageCode): string => (code === defaultLanguage ? 'en-US' : languageOf(code).tag);

export const isLanguageCode = (code: unknown): code is LanguageCode =>
  languages.some((language) => language.code === code);

/** A language that this build has: English for another, which a newer or older build may have stored. */
export const knownLanguage = (code: string): LanguageCode => (isLanguageCode(code) ? code : defaultLanguage);

/**
 * Splits a path into its language and its English path: `/de/register/` → `de`, `/register/`. Without a known prefix it
 * is English.
 */
export function splitPath(path: string): { language: LanguageCode; page: string } {
  const prefix = path.split('/', 2)[1];
  if (prefix === defaultLanguage || !isLanguageCode(prefix)) return { language: defaultLanguage, page: path };
  return { language: prefix, page: path.slice(prefix.length + 1) || '/' };
}

/**
 * The path of a page in a language: `/register/` in `de` → `/de/register/`. English and unknown languages have no prefix,
 * so two slashes become one: otherwise they would begin the address of another site.
 */
export const pathIn = (language: LanguageCode, page: string): string =>
  knownLanguage(language) === defaultLanguage ? page.replace(/^[\\/]+/, '/') : `/${language}${page}`;

/** The region of a phone number without a country code, by its writer's language (ISO 3166-1): where most speak it. */
export const regions = Object.fromEntries(
  // CLDR would say Egypt.
  languages.map(({ code }) => [code, code === 'ar' ? 'SA' : new Intl.Locale(code).maximize().region]),
) as Readonly<Record<LanguageCode, string>>;
