import * as z from 'zod/mini';

const longest = 100;
/** PostgreSQL has no text with it, and answers with a fault. */
const nul = '\0';

/** Names something of ours in an address; what cannot be ours is found nowhere. */
export const ownId = z.catch(
  z.string().check(
    z.maxLength(longest),
    z.refine((text) => !text.includes(nul)),
  ),
  '',
);
