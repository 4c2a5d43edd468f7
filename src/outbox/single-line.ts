const longest = 500;

/**
 * What another server said, as a log, a table and a terminal can take it: one line, as long as anybody reads, without characters
 * that a terminal obeys or that PostgreSQL has no text with (the zero byte).
 */
export const toSingleLine = (said: string): string =>
  said
    .slice(0, longest)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
