/** Control characters but for tab and newline, and those that turn text around (Unicode Technical Report 36, section 3.7). */
const dangerous = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text as a terminal may show it, whatever people wrote into their names: such characters become `\\u202e`, which JSON reads again. */
export const harmless = (text: string): string =>
  text.replaceAll(dangerous, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
