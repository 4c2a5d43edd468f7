import * as z from 'zod/mini';

/**
 * Response to requests that begin or refresh a session (RFC 6749, section 5.1); only the cookie contains the refresh
 * token.
 */
export const accessGranted = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Seconds. */
  expires_in: z.number(),
  /** True if this sign-in canceled the planned deletion of the account; otherwise absent. */
  deletion_canceled: z.optional(z.boolean()),
});
