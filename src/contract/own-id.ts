import * as z from 'zod/mini';

const longest = 100;
/** PostgreSQL rejects text with this character. */
const nul = '\0';

/** An id of ours in a URL. A value that cannot be ours becomes empty, which matches nothing. */
export const ownId = z.catch(
  z.string().check(
    z.maxLength(longest),
    z.refine((text) => !text.includes(nul)),
  ),
  '',
);
