import { callingCodes } from './calling-codes.ts';

export interface Country {
  /** ISO 3166-1. */
  readonly region: string;
  readonly name: string;
  /** With its plus sign. */
  readonly callingCode: string;
  /** Search terms: the name, which matches anywhere, then terms that match only from their beginning. */
  readonly words: readonly [string, ...string[]];
}

/** Removes case and diacritics. */
const plain = (text: string, tag: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase(tag);

/** A country's name and calling code for its button, in a language (BCP 47 tag). */
export const showCountry = (region: string, tag: string): Pick<Country, 'name' | 'callingCode'> => ({
  name: new Intl.DisplayNames(tag, { type: 'region' }).of(region) ?? region,
  callingCode: `+${callingCodes.get(region)}`,
});

const lists = new Map<string, readonly Country[]>();

/**
 * All countries that have phone numbers, named and sorted in a language (BCP 47 tag). Slow on a cheap phone, so call it
 * only when the user opens the list.
 */
export function countriesIn(tag: string): readonly Country[] {
  const list = lists.get(tag) ?? listCountries(tag);
  lists.set(tag, list);
  return list;
}

function listCountries(tag: string): readonly Country[] {
  const names = new Intl.DisplayNames(tag, { type: 'region' });
  // For visitors whose keyboard lacks the page's script.
  const english = new Intl.DisplayNames('en', { type: 'region' });
  const order = new Intl.Collator(tag).compare;
  return [...callingCodes]
    .map(([region, digits]) => {
      const name = names.of(region) ?? region;
      const abroad = plain(english.of(region) ?? region, tag);
      const words = [plain(name, tag), abroad, plain(region, tag), digits, `+${digits}`] as const;
      return { region, name, callingCode: `+${digits}`, words };
    })
    .sort((a, b) => order(a.name, b.name));
}

/**
 * Countries whose name, English name, region code or calling code starts with the search text, then those whose name
 * contains it.
 */
export function searchCountries(countries: readonly Country[], search: string, tag: string): readonly Country[] {
  const wanted = plain(search.trim(), tag);
  const begins = ({ words }: Country) => words.some((word) => word.startsWith(wanted));
  const has = (country: Country) => !begins(country) && country.words[0].includes(wanted);
  return [...countries.filter(begins), ...countries.filter(has)];
}
