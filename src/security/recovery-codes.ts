import { createHmac, randomBytes } from 'node:crypto';
import { base32 } from './totp.ts';

/** Codes that an account gets together. */
const recoveryCodeCount = 10;

/** 50 random bits each, as two groups of five letters and digits. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(7)).slice(0, 10)).map((letters) =>
    `${letters.slice(0, 5)}-${letters.slice(5)}`.toLowerCase(),
  );

/** The stored form of a code: a keyed hash, bound to the account. Case and everything but letters and digits are ignored. */
export function macOfRecoveryCode(key: Buffer, accountId: string, code: string): string {
  // People confuse these, and base32 has neither of the digits.
  const letters = code
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l');
  return createHmac('sha256', key).update(`recovery code!${accountId}!${letters}`).digest('base64url');
}
