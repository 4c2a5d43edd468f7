import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random value for a URL, a cookie or an identifier: base64url of so many bits. */
export const randomSecret = (bits: number): string => randomBytes(bits / 8).toString('base64url');

/** How a random secret is kept: a leaked table then opens nothing (the input has full entropy, so no salt). */
export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url');

/** Compares without its time telling where two values differ. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
