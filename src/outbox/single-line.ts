const longest = 500;

/**
 * Makes another server's text safe for a log, a table and a terminal: one line of limited length, without control
 * characters that a terminal obeys or PostgreSQL rejects (the zero byte).
 */
export const toSingleLine = (said: string): string =>
  said
    .slice(0, longest)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
