import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { djangoPbkdf2, pbkdf2 } from './pbkdf2.ts';
import type { Scheme } from './scheme.ts';
import { firebaseScrypt, scrypt } from './scrypt.ts';

const schemes: readonly Scheme[] = [argon2, bcrypt, scrypt, firebaseScrypt, pbkdf2, djangoPbkdf2];

/** Prefix of a hash from another service: it lacks our pepper, and the first sign-in replaces it. */
const mark = 'imported:';
/** Marks an account imported without a hash: no password matches it, so the owner has to set one by recovery. */
export const noHash = `${mark}none`;

/** Whether some password can match the stored hash. */
export const isPassword = (hash: string): boolean => hash !== noHash;

const longestHash = 1000;

/** The stored form of a foreign hash; undefined if we cannot verify its scheme, or it would cost too much. */
export function importForeignHash(hash: string): string | undefined {
  if (hash.length > longestHash) return undefined;
  const known = schemes.some(({ form, isBearable }) => {
    const parts = form.exec(hash);
    return parts !== null && isBearable(parts.groups ?? {});
  });
  return known ? mark + hash : undefined;
}

/** A function that verifies a password against an imported hash; undefined if the hash is one of ours. */
export function foreignVerifier(kept: string): ((password: string) => Promise<boolean>) | undefined {
  if (!kept.startsWith(mark)) return undefined;
  const hash = kept.slice(mark.length);
  for (const { form, verify } of schemes) {
    const parts = form.exec(hash);
    if (parts) return (password) => verify(parts.groups ?? {}, { hash, password });
  }
  return async () => false;
}
