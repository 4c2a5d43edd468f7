import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { callingCodeOf, countriesIn, nameCountry } from './countries.ts';
import { digitsInText } from './digits-in-text.ts';
import { mistakes, suggestAddress } from './mail-domains.ts';

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

test.each<[string, readonly number[], string | undefined]>([
  ['123456 is your confirmation code for Vestibule.\n\n@door.example #123456', [6], '123456'],
  ['Code Vestibule 2026: 123 456', [6], '123456'],
  ['Ihr Code: 654-321.', [6, 4], '654321'],
  ['Vestibule-kód: ９８７６５４', [6], '987654'],
  ['call me at 10:30, code 4083', [4], '4083'],
  ['Missed call from +1 202 555 0147', [4], '12025550147'],
  ['order 12345678, code 4083, in 2026', [6], undefined],
  ['@door.example #1234', [6], undefined],
  ['no digits at all', [6], undefined],
  ['123456', [6], undefined],
  ['+1 (202) 555-0147', [4], undefined],
  [`${'a '.repeat(100_000)}123456`, [6], undefined],
])('in %j with %j digits the code is %j', (text, lengths, digits) => expect(digitsInText(text, lengths)).toBe(digits));

test.each([
  ['ada@gmial.com', 'ada@gmail.com'],
  ['ada@gmail.con', 'ada@gmail.com'],
  ['ada@gmail.co', 'ada@gmail.com'],
  ['ada@GMAIL.CMO', 'ada@gmail.com'],
  ['Ada@hotmial.con', 'Ada@hotmail.com'],
  ['ada@gmial.con', 'ada@gmail.com'],
  ['ada@gmial.com.br', undefined],
  ['ada@yaho.com.tr', 'ada@yahoo.com.tr'],
  ['ada@hotmail.gr', undefined],
  ['ada@hotmail.rs', undefined],
  ['ada@yahoo.com.tr', undefined],
  ['ada@yahoo.com.pe', undefined],
  ['ada@yahoo.co', 'ada@yahoo.com'],
  ['ada@gmail.ru', undefined],
  ['ada@gmx.de', undefined],
  ['ada@gmx.con', 'ada@gmx.com'],
  ['ada@mail.gr', undefined],
  ['ada@company.com', undefined],
  ['ada@constructor.com', undefined],
  ['ada@hotmal.om', undefined],
  ['ada@outlok.com', 'ada@outlook.com'],
  ['ada@otlok.com', 'ada@outlook.com'],
  ['ada@yandx.ru', 'ada@yandex.ru'],
  ['a@b@gmial.com', 'a@b@gmail.com'],
  ['ada@gmail.com', undefined],
  ['ada@mail.com', undefined],
  ['ada@ymail.com', undefined],
  ['ada@outlook.cz', undefined],
  ['ada@example.org', undefined],
  ['gmial.com', undefined],
  ['', undefined],
])('for %s the suggestion is %s', (typed, meant) => expect(suggestAddress(typed)).toBe(meant));

test.each([
  ['', '', 0],
  ['ab', 'ba', 1],
  ['abc', 'ab', 1],
  ['abc', 'axc', 1],
  ['kitten', 'sitting', 3],
])('the distance between "%s" and "%s" is %d', (a, b, count) => expect(mistakes(a, b)).toBe(count));
