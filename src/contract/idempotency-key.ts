import * as z from 'zod/mini';
import { minutes } from './durations.ts';

/** How long a client whose response was lost may repeat a request; later, its user signs in. */
export const repeatedWithin = minutes(10);

/**
 * A random key for one operation. A client that got no response repeats the request with the same key, and then gets
 * the same response. The key is a secret of that client.
 */
export const idempotencyKey = z.optional(
  z.string({ error: 'not_understood' }).check(z.regex(/^[\w-]{22,64}$/, 'not_understood')),
);
