import * as z from 'zod/mini';
import { phoneDigits } from '../../contract/field-sizes.ts';
import { type CallPlacement, CallRefused } from '../provider.ts';

/** A code in a provider's response: `"0435"`, or `435`, because numbers in JSON have no leading zeros. */
export const writtenCode = z.union([z.string(), z.number()]);

/** A placed call whose digits the provider reported: the last four of its code. */
export function theirs(code: z.output<typeof writtenCode>): CallPlacement {
  const digits = typeof code === 'number' ? String(code).padStart(phoneDigits, '0') : code.trim();
  if (!/^\d{4,}$/.test(digits)) throw new CallRefused('unavailable', 'the response lacks the digits of the call');
  return { kind: 'theirs', code: digits.slice(-phoneDigits) };
}

/** Text in a provider's response that may be written as a number. */
const writtenText = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => String(value).trim()),
);

/** An identifier in a provider's response: text, or a number. */
export const writtenId = z.pipe(writtenText, z.string().check(z.minLength(1)));

/** A whole number in a provider's response, such as an error code: `3`, or `"3"`. */
export const writtenInteger = z.pipe(
  z.pipe(writtenText, z.string().check(z.regex(/^-?\d{1,9}$/))),
  z.transform(Number),
);

/** A phone number in a provider's response, in international format with or without the plus sign. */
export const writtenNumber = z.pipe(
  z.pipe(writtenText, z.string().check(z.regex(/^\+?[1-9]\d{6,14}$/))),
  z.transform((number) => `+${withoutPlus(number)}`),
);

/** E.164 without the plus sign. */
export const withoutPlus = (phone: string): string => phone.replace(/^\+/, '');
