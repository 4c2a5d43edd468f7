import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { callingCodeOf, countriesIn, nameCountry } from './countries.ts';

test('the list has every country of libphonenumber, with its calling code', () => {
  const listed = countriesIn('en').map(({ region }) => [region, callingCodeOf(region)]);
  const wanted = getCountries().map((region) => [region, `+${getCountryCallingCode(region)}`]);
  expect(listed.sort()).toEqual(wanted.sort());
});

test.each([
  ['en', 'GR', 'Greece \u2066+30\u2069'],
  ['de', 'AT', 'Österreich \u2066+43\u2069'],
  ['ar', 'DE', 'ألمانيا \u2066+49\u2069'],
  ['ja', 'DE', 'ドイツ \u2066+49\u2069'],
])('in %s, %s is called “%s”', (tag, region, name) => expect(nameCountry(region, tag)).toBe(name));

test('the list is in the order of the language', () => {
  const names = countriesIn('de').map(({ name }) => name);
  expect(names.indexOf(nameCountry('AT', 'de'))).toBeLessThan(names.indexOf(nameCountry('PK', 'de')));
});
