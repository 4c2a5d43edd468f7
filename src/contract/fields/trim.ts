// Control characters, line and paragraph separators, zero-width characters and byte order marks: invisible, so never
// intended, and a CR or LF in an address would end a header of an email.
const invisible = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Strips invisible characters from both ends. Walks from the ends: a pattern for the end alone takes quadratic time.
 */
export function trim(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && invisible.test(text.charAt(from))) from += 1;
  while (from < to && invisible.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
