import { AsYouType, type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/min';

export interface Country {
  /** ISO 3166-1. */
  readonly region: string;
  readonly name: string;
  /** With its plus sign. */
  readonly callingCode: string;
  /** What a search compares: the name, and what is only ever typed from its beginning. */
  readonly words: readonly [string, ...string[]];
}

/** Letters as people type them in a hurry: without case and marks. */
const plain = (text: string, tag: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase(tag);

/** A country as its button shows it, in a language (BCP 47 tag). */
export const showCountry = (region: string, tag: string): Pick<Country, 'name' | 'callingCode'> => ({
  name: new Intl.DisplayNames(tag, { type: 'region' }).of(region) ?? region,
  callingCode: `+${getCountryCallingCode(region as CountryCode)}`,
});

const lists = new Map<string, readonly Country[]>();

/**
 * All countries that have phone numbers, named and sorted as in a language (BCP 47 tag). That keeps a slow phone busy for a
 * while, so it is asked for only when somebody looks at them.
 */
export function countriesIn(tag: string): readonly Country[] {
  const list = lists.get(tag) ?? listCountries(tag);
  lists.set(tag, list);
  return list;
}

function listCountries(tag: string): readonly Country[] {
  const names = new Intl.DisplayNames(tag, { type: 'region' });
  // What a visitor types whose keyboard has not the page's script.
  const english = new Intl.DisplayNames('en', { type: 'region' });
  const order = new Intl.Collator(tag).compare;
  return getCountries()
    .map((region) => {
      const name = names.of(region) ?? region;
      const digits = getCountryCallingCode(region);
      const abroad = plain(english.of(region) ?? region, tag);
      const words = [plain(name, tag), abroad, plain(region, tag), digits, `+${digits}`] as const;
      return { region, name, callingCode: `+${digits}`, words };
    })
    .sort((a, b) => order(a.name, b.name));
}

/** The countries that a search finds: by the beginning of name (English, too), region code or calling code first, then by any part of the name. */
export function searchCountries(countries: readonly Country[], search: string, tag: string): readonly Country[] {
  const wanted = plain(search.trim(), tag);
  const begins = ({ words }: Country) => words.some((word) => word.startsWith(wanted));
  const has = (country: Country) => !begins(country) && country.words[0].includes(wanted);
  return [...countries.filter(begins), ...countries.filter(has)];
}

/** The country of a number that is typed with its calling code, as soon as that can be told. */
export function regionOf(typed: string): string | undefined {
  const number = new AsYouType();
  number.input(typed.replace(/^\s*00/, '+'));
  return number.getCountry();
}
