/** A promise was broken. Any other error, even one of Node itself, exits with 1. */
export const brokenCode = 3;
/** A drill could not be played, or its name is unknown. */
export const notPlayedCode = 2;
