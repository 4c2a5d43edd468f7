import * as z from 'zod/mini';

/**
 * Random, made once for each wish, and sent again with it when no answer came: it then gets the same answer.
 * A secret of whoever made it.
 */
export const idempotencyKey = z.optional(
  z.string({ error: 'not_understood' }).check(z.regex(/^[\w-]{22,64}$/, 'not_understood')),
);
