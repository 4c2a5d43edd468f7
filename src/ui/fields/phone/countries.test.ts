import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { countriesIn, searchCountries, showCountry } from './countries.ts';
import { regionOf } from './typed-region.ts';

test.each([
  ['en', 'ger', 'DE'],
  ['en', '+49', 'DE'],
  ['en', '49', 'DE'],
  ['en', 'gb', 'GB'],
  ['en', 'cote', 'CI'],
  ['de', 'osterr', 'AT'],
  ['de', 'öst', 'AT'],
  ['ru', 'ГЕРМ', 'DE'],
  ['el', 'ελλα', 'GR'],
  ['ar', 'ألمانيا', 'DE'],
  ['ja', 'ドイツ', 'DE'],
  ['zh-Hans', '德国', 'DE'],
  ['ja', 'germany', 'DE'],
  ['ar', 'United K', 'GB'],
  ['tr', 'Iceland', 'IS'],
])('in %s, “%s” finds %s first', (tag, search, region) => {
  expect(searchCountries(countriesIn(tag), search, tag)[0]?.region).toBe(region);
});

test('an empty search finds every country, in the order of the language', () => {
  const countries = countriesIn('de');
  expect(searchCountries(countries, ' ', 'de')).toEqual(countries);
  expect(countries.map(({ name }) => name)).toEqual(
    countries.map(({ name }) => name).sort(new Intl.Collator('de').compare),
  );
});

test('countries have the calling codes of libphonenumber', () => {
  const codes = countriesIn('en').map(({ region, callingCode }) => [region, callingCode]);
  const wanted = getCountries().map((region) => [region, `+${getCountryCallingCode(region)}`]);
  expect(codes.sort()).toEqual(wanted.sort());
  expect(showCountry('GR', 'en')).toEqual({ name: 'Greece', callingCode: '+30' });
});

test('a search without matches finds nothing', () => {
  expect(searchCountries(countriesIn('en'), 'zzz', 'en')).toEqual([]);
});

test.each([
  ['+44 20 7946 0018', 'GB'],
  ['0044 20 7946 0018', 'GB'],
  ['+7 701', 'KZ'],
  ['+1 416 555 0123', 'CA'],
  ['+4', undefined],
  ['', undefined],
])('%s is a number in %s', (typed, region) => {
  expect(regionOf(typed)).toBe(region);
});
