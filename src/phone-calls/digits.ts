import * as z from 'zod/mini';
import { phoneDigits } from '../contract/field-sizes.ts';
import { type CallPlacement, CallRefused } from './provider.ts';

/** How providers write a code: `"0435"`, or `435` as JSON's numbers have no leading zeros. */
export const writtenCode = z.union([z.string(), z.number()]);

/** A placed call whose digits the provider has told: the last four of what it wrote. */
export function theirs(code: z.output<typeof writtenCode>): CallPlacement {
  const digits = typeof code === 'number' ? String(code).padStart(phoneDigits, '0') : code.trim();
  if (!/^\d{4,}$/.test(digits)) throw new CallRefused('unavailable', 'a call whose digits it does not tell');
  return { kind: 'theirs', code: digits.slice(-phoneDigits) };
}

/** E.164 without its plus sign. */
export const withoutPlus = (phone: string): string => phone.replace(/^\+/, '');
