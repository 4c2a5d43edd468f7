import * as z from 'zod/mini';

/** What the requests that begin or refresh a session are answered with (RFC 6749, section 5.1); the refresh token is only ever in its cookie. */
export const accessGranted = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Seconds. */
  expires_in: z.number(),
});
