import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { djangoPbkdf2, pbkdf2 } from './pbkdf2.ts';
import type { Scheme } from './scheme.ts';
import { firebaseScrypt, scrypt } from './scrypt.ts';

const schemes: readonly Scheme[] = [argon2, bcrypt, scrypt, firebaseScrypt, pbkdf2, djangoPbkdf2];

/** Before a hash that another service has made: it knows nothing of our pepper, and is replaced at the first sign-in. */
const mark = 'imported:';
/** In place of a hash where none came along: no password is right, so its owner has to recover theirs. */
export const noHash = `${mark}none`;

const longestHash = 1000;

/** A foreign hash as it is kept; undefined where it is of no kind that we can verify, or would cost too much. */
export function importForeignHash(hash: string): string | undefined {
  if (hash.length > longestHash) return undefined;
  const known = schemes.some(({ form, isBearable }) => {
    const parts = form.exec(hash);
    return parts !== null && isBearable(parts.groups ?? {});
  });
  return known ? mark + hash : undefined;
}

/** What verifies a password against a hash that was kept so; undefined where the hash is none of these. */
export function foreignVerifier(kept: string): ((password: string) => Promise<boolean>) | undefined {
  if (!kept.startsWith(mark)) return undefined;
  const hash = kept.slice(mark.length);
  for (const { form, verify } of schemes) {
    const parts = form.exec(hash);
    if (parts) return (password) => verify(parts.groups ?? {}, { hash, password });
  }
  return async () => false;
}
