import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random value of `bits` bits in base64url, for a URL, a cookie or an identifier. */
export const randomSecret = (bits: number): string => randomBytes(bits / 8).toString('base64url');

const madeAtOnce = 4096;
let made = Buffer.alloc(0);
let used = 0;

/** A few random bytes per request, from a buffer: one call of `randomBytes` costs as much for five as for thousands. */
export function randomFew(count: number): Buffer {
  if (used + count > made.length) {
    made = randomBytes(madeAtOnce);
    used = 0;
  }
  used += count;
  return made.subarray(used - count, used);
}

/** The stored form of a random secret: a leaked table opens nothing (the input has full entropy, so no salt). */
export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url');

/** Compares in constant time. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
