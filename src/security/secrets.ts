import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random value for a URL, a cookie or an identifier: base64url of so many bits. */
export const randomSecret = (bits: number): string => randomBytes(bits / 8).toString('base64url');

const madeAtOnce = 4096;
let made = Buffer.alloc(0);
let used = 0;

/** A few random bytes for every request: asking for them costs the same for five and for thousands. */
export function randomFew(count: number): Buffer {
  if (used + count > made.length) {
    made = randomBytes(madeAtOnce);
    used = 0;
  }
  used += count;
  return made.subarray(used - count, used);
}

/** How a random secret is kept: a leaked table then opens nothing (the input has full entropy, so no salt). */
export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url');

/** Compares without its time telling where two values differ. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
