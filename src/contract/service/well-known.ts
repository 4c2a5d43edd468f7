import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';

/** W3C, A Well-Known URL for Changing Passwords. */
export const changePassword = endpoint({
  method: 'GET',
  path: '/.well-known/change-password',
  summary: 'Redirect to the page that sets a new password',
  status: 302,
});

/** WebAuthn Level 3, section 5.11: other origins that may use the passkeys of this domain. */
export const relatedOrigins = endpoint({
  method: 'GET',
  path: '/.well-known/webauthn',
  summary: 'List the origins that may use passkeys of this domain',
  status: 200,
  response: z.object({ origins: z.array(z.string()) }),
});
