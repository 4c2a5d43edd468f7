import fc from 'fast-check';
import { type CountryCode, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { regions } from '../languages.ts';
import { phoneReadings, readPhone, readPhoneIn, regionOf } from './phone.ts';

describe('a phone number is understood as people write it', () => {
  test.each([
    ['+49 1512 3456789', 'en', '+4915123456789'],
    ['0049 1512 3456789', 'en', '+4915123456789'],
    ['(0151) 2345-6789', 'de', '+4915123456789'],
    ['8 (912) 345-67-89', 'ru', '+79123456789'],
    ['+7 912 345 67 89', 'de', '+79123456789'],
    ['٠٥٠١٢٣٤٥٦٧', 'ar', '+966501234567'],
    ['０９０－１２３４－５６７８', 'ja', '+819012345678'],
    ['123', 'de', undefined],
    ['+49', 'de', undefined],
    ['call me', 'en', undefined],
    ['+999 123 456 789', 'en', undefined],
  ] as const)('%j in %s: %j', (typed, language, expected) => expect(readPhoneIn(typed, language)).toBe(expected));

  test('every language knows its own region', () => {
    for (const region of Object.values(regions) as CountryCode[]) {
      const example = getExampleNumber(region, examples);
      expect(readPhone(example?.formatNational() ?? '', region)).toBe(example?.number);
    }
  });

  test('every accepted number is E.164, and reading it again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\+?[\d ()-]{4,18}$/)), (typed) => {
        const number = readPhone(typed, 'DE');
        if (number === undefined) return;
        expect(number).toMatch(/^\+[1-9]\d{5,14}$/);
        expect(readPhone(number, 'US')).toBe(number);
      }),
    );
  });
});

test.each([
  ['4915123456789', 'DE', ['+494915123456789', '+4915123456789']],
  ['4795123456', 'US', ['+14795123456', '+4795123456']],
  ['(479) 512-3456', 'US', ['+14795123456']],
  ['+4795123456', 'US', ['+4795123456']],
  ['004795123456', 'US', ['+4795123456']],
  ['015123456789', 'DE', ['+4915123456789']],
  ['33612345678', 'FR', ['+33612345678']],
  ['79261234567', 'RU', ['+79261234567']],
  ['9261234567', 'RU', ['+79261234567']],
  ['4155550100', 'US', ['+14155550100']],
  ['12', 'DE', []],
])('%j typed in %s may mean %j, and is read only if it is clear', (typed, region, readings) => {
  expect(phoneReadings(typed, region)).toEqual(readings);
  expect(readPhone(typed, region)).toBe(readings.length === 1 ? readings[0] : undefined);
});

test.each([
  ['+44 20 7946 0018', 'GB'],
  ['0044 20 7946 0018', 'GB'],
  ['+7 701', 'KZ'],
  ['+1 416 555 0123', 'CA'],
  ['+4', undefined],
  ['', undefined],
])('%s is a number in %s', (typed, region) => expect(regionOf(typed)).toBe(region));
