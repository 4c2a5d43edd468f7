/** Control characters, and characters that change the text direction (Unicode Technical Report 36, section 3.7). */
const dangerous = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes text safe for a terminal: escapes dangerous characters as `\\u202e`, which JSON parsers restore. */
export const harmless = (text: string): string =>
  text.replaceAll(dangerous, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
