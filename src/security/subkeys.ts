import { hkdfSync } from 'node:crypto';

/** Derives a key of 256 bits for one purpose (HKDF, RFC 5869): its signatures are worthless for another purpose. */
export const subkey = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `vestibule ${purpose}`, 32));
