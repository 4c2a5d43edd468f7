import { randomInt } from 'node:crypto';
import { sha256 } from '../../../security/secrets.ts';

/** Crockford's base 32: no letter looks like a digit. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 60 random bits. */
const length = 12;

/** A code that a person can type: `7K2M-QF8R-0XTB`. */
export function newEnrolmentCode(): string {
  const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
  return letters.replace(/(?<=.)(?=(?:.{4})+$)/g, '-');
}

/** The hash that identifies a code; it ignores case, separators and look-alike characters. */
export const enrolmentHash = (typed: string): string =>
  sha256(
    typed
      .toUpperCase()
      .replace(/[^\dA-Z]/g, '')
      .replaceAll('O', '0')
      .replace(/[IL]/g, '1'),
  );
