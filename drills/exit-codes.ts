/** A promise was broken. Whatever else goes wrong, even Node itself, ends with 1. */
export const brokenCode = 3;
/** A drill could not be played, or there is none of that name. */
export const notPlayedCode = 2;
