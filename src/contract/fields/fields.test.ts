import fc from 'fast-check';
import { type CountryCode, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { register } from '../../journeys/register/register.contract.ts';
import { endpoint } from '../endpoint.ts';
import type { FieldCode } from '../failures.ts';
import { regions } from '../languages.ts';
import { fieldCodesOf, fieldFailures } from './field-codes.ts';
import * as fields from './fields.ts';
import { innIsValid } from './fields.ts';
import { phoneReadings, readPhone, readPhoneIn, regionOf } from './phone.ts';
import { readTime } from './time.ts';

/** A field's first code for a value, or the parsed value. */
function read(schema: z.ZodMiniType, value: unknown): unknown {
  const result = z.object({ field: schema }).safeParse(value === undefined ? {} : { field: value });
  if (result.success) return { read: (result.data as { field: unknown }).field };
  return fieldFailures(result.error.issues)[0]?.code;
}

const long = 'x'.repeat(180);

describe('each field reports one problem at a time', () => {
  test.each([
    [undefined, 'email_required'],
    [null, 'email_required'],
    ['', 'email_required'],
    ['  \u200b ', 'email_required'],
    [['a@example.com'], 'email_invalid'],
    [{ toString: 'a@example.com' }, 'email_invalid'],
    [7, 'email_invalid'],
    ['anna', 'email_invalid'],
    ['anna@example', 'email_invalid'],
    ['anna@@example.com', 'email_invalid'],
    ['an na@example.com', 'email_invalid'],
    ['.anna@example.com', 'email_invalid'],
    ['anna..b@example.com', 'email_invalid'],
    ['anna@example.com\r\nBcc: b@example.com', 'email_invalid'],
    ['an\u0000na@example.com', 'email_invalid'],
    ['anna@-example.com', 'email_invalid'],
    ['anna@example.123', 'email_invalid'],
    ['anna@0x7f.0x1', 'email_invalid'],
    ['anna@１２７.0x1', 'email_invalid'],
    [`${'a'.repeat(65)}@example.com`, 'email_invalid'],
    [`${'ä'.repeat(33)}@example.com`, 'email_invalid'],
    [`anna@${'a'.repeat(64)}.example`, 'email_invalid'],
    [`anna@${'ä'.repeat(58)}.example`, 'email_invalid'],
    [`anna@${'a'.repeat(63)}.example`, { read: `anna@${'a'.repeat(63)}.example` }],
    ['\u212aate@Exa\uff4dple\u3002COM', { read: 'Kate@example.com' }],
    ['ane\u0301@example.com', { read: 'an\u00e9@example.com' }],
    [`anna@${'a'.repeat(170)}.example.com`, 'too_long'],
    [' \ufeffAnna.B+tag@Example.com\u200b ', { read: 'Anna.B+tag@example.com' }],
    ['an\u00adna\u200b@\u2060exam\ufeffple.com\u{e0061}', { read: 'anna@example.com' }],
    ['\u202eanna@example.com\u202c', { read: 'anna@example.com' }],
    ['\u00ad\u2060', 'email_required'],
    ['an\u200dna@example.com', 'email_invalid'],
    ['anna@exam\u200cple.com', 'email_invalid'],
    ['an\u0600na@example.com', 'email_invalid'],
    ['почта@пример.рф', { read: 'почта@пример.рф' }],
    ["o'neill@example.co.uk", { read: "o'neill@example.co.uk" }],
  ])('email %j: %j', (value, expected) => expect(read(fields.email, value)).toEqual(expected));

  test.each([
    [undefined, 'required'],
    [' ', 'required'],
    [long, 'too_long'],
    ['x'.repeat(179), { read: 'x'.repeat(179) }],
    ['😀'.repeat(179), { read: '😀'.repeat(179) }],
    [' Anna\r\nBcc: x\u0000 ', { read: 'Anna Bcc: x' }],
    ['\u202eAn\u2066na\u2069 \u200fنور', { read: 'Anna \u200fنور' }],
    [{}, 'not_understood'],
  ])('name %j: %j', (value, expected) => expect(read(fields.name, value)).toEqual(expected));

  test.each([
    [undefined, { read: undefined }],
    ['', { read: undefined }],
    [null, { read: undefined }],
    [' ', { read: undefined }],
    ['12345', 'too_short'],
    [long, 'too_long'],
    ['SUM\u202eMER', { read: 'SUMMER' }],
  ])('promo code %j: %j', (value, expected) => expect(read(fields.promoCode, value)).toEqual(expected));

  test.each([
    ['', { read: undefined }],
    ['77a', 'digits_only'],
    ['7707083893', { read: '7707083893' }],
    ['7707083894', 'inn_invalid'],
    ['500100732259', { read: '500100732259' }],
    ['500100732258', 'inn_invalid'],
    ['123', 'inn_invalid'],
  ])('INN %j: %j', (value, expected) => expect(read(fields.inn, value)).toEqual(expected));

  test.each([
    [undefined, 'password_required'],
    ['', 'password_required'],
    ['12345', 'password_too_short'],
    ['123456', { read: '123456' }],
    [' spaces stay ', { read: ' spaces stay ' }],
    ['x'.repeat(128), { read: 'x'.repeat(128) }],
    ['x'.repeat(129), 'password_too_long'],
    ['😀'.repeat(128), { read: '😀'.repeat(128) }],
  ])('new password %j: %j', (value, expected) => expect(read(fields.newPassword(6), value)).toEqual(expected));

  test.each([
    [undefined, 'consent_required'],
    [false, 'consent_required'],
    ['true', 'consent_required'],
    [true, { read: true }],
  ])('required consent %j: %j', (value, expected) => expect(read(fields.requiredConsent, value)).toEqual(expected));

  test.each([
    ['9393', { read: '9393' }],
    ['939393', { read: '939393' }],
    ['+1 (202) 555-9393', { read: '12025559393' }],
    // Phones copy a number with no-break hyphens, between direction marks.
    ['\u2068+1 (202) 555\u20119393\u2069', { read: '12025559393' }],
    ['\u202a+1\u00a0202\u2013555\u200b.9393\u202c', { read: '12025559393' }],
    ['٩٣٩٣', { read: '9393' }],
    ['939', 'digits_four'],
    ['939x', 'digits_only'],
    ['٩'.repeat(180), 'digits_only'],
    ['\u2011', 'required'],
  ])('digits of a call %j: %j', (value, expected) => expect(read(fields.callDigits, value)).toEqual(expected));

  test.each([
    ['9393', 4, '9393'],
    ['12025559393', 4, '9393'],
    ['93939', 4, undefined],
    ['939393', 4, undefined],
    ['939393', 6, '939393'],
    ['9393', 6, undefined],
    ['12025559393', 6, undefined],
  ])('from the input %s, a call with %i digits compares %s', (typed, expected, counts) =>
    expect(fields.digitsThatCount(typed, expected)).toBe(counts),
  );

  test.each([
    ['123\u2011456', { read: '123456' }],
    ['\u2066123\u00a0456\u2069', { read: '123456' }],
    ['12345', 'code_six'],
  ])('emailed code %j: %j', (value, expected) => expect(read(fields.mailCode, value)).toEqual(expected));

  test.each([
    ['x'.repeat(64), { read: 'x'.repeat(64) }],
    ['x'.repeat(65), 'too_long'],
  ])('db_type %j: %j', (value, expected) => expect(read(fields.dbType, value)).toEqual(expected));
});

describe('a form reports all its problems together', () => {
  const form = z
    .object({ email: fields.email, password: fields.newPassword(6), password_repeat: fields.passwordRepeat })
    .check(fields.passwordsMatch);
  const codes = (value: object) => {
    const result = form.safeParse(value);
    return result.success ? [] : fieldFailures(result.error.issues).map(({ field, code }) => `${field}: ${code}`);
  };

  test.each([
    [{}, ['email: email_required', 'password: password_required', 'password_repeat: required']],
    [
      { email: 'x', password: 'secret1', password_repeat: 'secret2' },
      ['email: email_invalid', 'password_repeat: passwords_differ'],
    ],
    [{ email: 'a@example.com', password: 'secret1', password_repeat: 'secret1' }, []],
  ])('%j: %j', (value, expected) => expect(codes(value)).toEqual(expected));

  test('a code carries its number', () => {
    const result = form.safeParse({ email: 'a@example.com', password: 'x', password_repeat: 'x' });
    expect(result.success || fieldFailures(result.error.issues)).toEqual([
      { field: 'password', code: 'password_too_short', params: { min: 6 } },
    ]);
  });
});

describe('any input', () => {
  test('takes linear time to parse, wherever it is invisible', () => {
    // CPU time of this thread: other load on the machine does not count.
    const time = (length: number) => {
      const text = `a${' '.repeat(length)}b`;
      const begun = process.threadCpuUsage();
      for (let round = 0; round < 300; round += 1)
        for (const field of [fields.email, fields.name, fields.inn, fields.promoCode]) field.safeParse(text);
      const { user, system } = process.threadCpuUsage(begun);
      return user + system;
    };
    // The shortest run measures the parsing itself, without compilation or garbage collection.
    const shortest = (length: number) => Math.min(...Array.from({ length: 3 }, () => time(length)));
    time(2000);
    // Eight times the text: quadratic parsing would take sixty-four times as long.
    expect(shortest(16_000) / shortest(2000)).toBeLessThan(30);
  });

  test('has no invisible character once accepted as an email address, and parses to itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' })), (typed) => {
        const once = fields.email.safeParse(typed);
        if (!once.success) return;
        expect(once.data).not.toMatch(/[\s\p{Cc}\p{Cf}]/u);
        expect(fields.email.parse(once.data)).toBe(once.data);
      }),
    );
  });

  test('is accepted if it is an everyday email address', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
    const local = fc.stringMatching(/^[a-zA-Z0-9_+-]{1,10}(\.[a-zA-Z0-9_+-]{1,10})?$/);
    fc.assert(
      fc.property(local, label, fc.constantFrom('com', 'de', 'co.uk', 'museum'), (name, domain, end) => {
        expect(fields.email.safeParse(`${name}@${domain}.${end}`).success).toBe(true);
      }),
    );
  });

  test('is accepted if it is an INN with correct check digits, but not with a mistyped check digit', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 9, maxLength: 9 });
    const complete = (nine: number[]) => {
      const last = Array.from({ length: 10 }, (_, digit) => `${nine.join('')}${digit}`).find(innIsValid);
      return last as string;
    };
    fc.assert(
      fc.property(digits, fc.nat(9), fc.integer({ min: 1, max: 9 }), (nine, at, by) => {
        const inn = complete(nine);
        expect(inn).toBeDefined();
        const wrong = [...inn].map((digit, index) => (index === at ? (Number(digit) + by) % 10 : digit)).join('');
        // A check digit of 10 is written as 0, so one mistake in eleven may pass, but never in the check digit itself.
        if (at === 9) expect(innIsValid(wrong)).toBe(false);
      }),
    );
  });
});

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

test.each([
  ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-02-28T10:00:00.123456+00:00', '2026-02-28T10:00:00.123Z'],
  ['2026-02-28 10:00:00+0130', '2026-02-28T08:30:00.000Z'],
  ['2026-02-28t10:00z', '2026-02-28T10:00:00.000Z'],
  // As Python writes it: the same on servers in all time zones.
  ['2026-02-28T10:00:00.5', '2026-02-28T10:00:00.500Z'],
  ['2026-02-30T10:00:00Z', undefined],
  ['2026-02-29', undefined],
  ['2026-04-31T00:00:00Z', undefined],
  ['2026-13-01', undefined],
  ['2026-00-10', undefined],
  ['2026-02-28T25:00:00Z', undefined],
  ['2026-02-28T10:61:00Z', undefined],
  ['1790000000', undefined],
  ['Feb 30 2026', undefined],
  ['soon', undefined],
  ['', undefined],
])('%j is %j', (text, time) => {
  const read = readTime(text);
  expect(read && new Date(read).toISOString()).toBe(time);
});

const post = (shape: Record<string, z.ZodMiniType>, also: { fieldCodes?: readonly FieldCode[] } = {}) =>
  endpoint({ route: 'POST /x', summary: 'Try', status: 204, body: z.object(shape), ...also });

test.each([
  ['a required field', post({ name: fields.name }), ['required', 'not_understood', 'too_long']],
  ['an optional field', post({ organization: fields.organization }), ['not_understood', 'too_long']],
  ['a field with a default', post({ consent: fields.consent }), ['not_understood']],
  ['a field with a fallback for wrong input', post({ call: z.catch(fields.email, '') }), []],
  ['a choice', post({ locale: fields.locale }), ['not_understood']],
  [
    'a field that only the server can check',
    post({ consent: fields.requiredConsent }, { fieldCodes: ['phone_not_confirmed'] }),
    ['consent_required', 'phone_not_confirmed'],
  ],
  [
    'a query',
    endpoint({ route: 'GET /x', summary: 'Try', status: 204, query: z.object({ db_type: fields.dbType }) }),
    ['not_understood', 'too_long'],
  ],
])('%s has these codes', (_, asked, expected) => expect(fieldCodesOf(asked).toSorted()).toEqual(expected.toSorted()));

test('a form whose rules depend on a setting, or on two fields together, has its codes', () => {
  const some = ['password_too_short', 'passwords_differ', 'inn_invalid', 'promo_code_unknown'];
  expect(fieldCodesOf(register)).toEqual(expect.arrayContaining(some));
});

test('a field that can be wrong without a code throws an error', () =>
  expect(() => fieldCodesOf(post({ name: z.string() }))).toThrow('/x name: a string without a field code'));

test('an endpoint includes the failures of its shape', () => {
  expect(Object.keys(post({ name: fields.name }).failures).toSorted()).toEqual([
    'csrf_failed',
    'malformed_request',
    'payload_too_large',
    'server_error',
    'try_again_later',
    'unsupported_media_type',
    'validation_failed',
  ]);
  const read = endpoint({ route: 'GET /x', summary: 'Try', status: 204, auth: 'bearer' });
  expect(Object.keys(read.failures).toSorted()).toEqual([
    'malformed_request',
    'not_signed_in',
    'server_error',
    'try_again_later',
  ]);
});
