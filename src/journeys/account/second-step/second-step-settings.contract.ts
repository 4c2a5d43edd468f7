import * as z from 'zod/mini';
import { endpoint } from '../../../contract/endpoint.ts';
import { authenticatorCode } from '../../../contract/fields/fields.ts';

/** How the signed-in account can be signed in to. */
export const readSecurity = endpoint({
  route: 'GET /account/security',
  summary: 'Read how the owner signs in to the account',
  auth: 'bearer',
  response: z.object({
    password: z.boolean(),
    passkeys: z.number(),
    authenticator: z.boolean(),
    recovery_codes_left: z.number(),
    /** ISO 8601, UTC: when the recovery codes in force were created; null without any. Earlier codes are void. */
    recovery_codes_made_at: z.nullable(z.string()),
    remembered_devices: z.number(),
    removal_at: z.nullable(z.string()),
    second_step_missing: z.boolean(),
    email_pending: z.optional(z.nullable(z.string())),
  }),
});

export const beginAuthenticator = endpoint({
  route: 'POST /account/authenticator',
  summary: 'Begin to add an authenticator app',
  auth: 'bearer',
  sensitive: true,
  body: z.object({}),
  status: 201,
  response: z.object({
    secret: z.string(),
    uri: z.string(),
    expires_in: z.number(),
  }),
  failures: ['too_many_requests'],
});

/** Ten codes, shown only once, and when they were created (ISO 8601, UTC). */
const codes = z.object({ recovery_codes: z.array(z.string()), recovery_codes_made_at: z.string() });

/** The page’s form: its field has its own name because the page may have other codes. */
export const authenticatorForm = z.object({ authenticator_code: authenticatorCode });

export const confirmAuthenticator = endpoint({
  route: 'POST /account/authenticator/confirm',
  summary: 'Confirm the authenticator app with its first code',
  auth: 'bearer',
  sensitive: true,
  body: z.object({ code: authenticatorCode }),
  /** Empty if earlier codes are still valid. */
  response: z.partial(codes),
  failures: ['code_incorrect', 'code_expired', 'too_many_attempts'],
});

export const removeAuthenticator = endpoint({
  route: 'DELETE /account/authenticator',
  summary: 'Remove the authenticator app, and with it the second step',
  auth: 'bearer',
  sensitive: true,
});

export const renewRecoveryCodes = endpoint({
  route: 'POST /account/recovery-codes',
  summary: 'Replace the recovery codes',
  auth: 'bearer',
  sensitive: true,
  body: z.object({}),
  response: codes,
  // `not_found`: without an authenticator, there is nothing to recover.
  failures: ['not_found', 'too_many_requests'],
});

/** Stops the requested removal of the second step, by any session of the account. */
export const keepSecondStep = endpoint({
  route: 'POST /account/second-step/keep',
  summary: 'Stop the requested removal of the second step',
  auth: 'bearer',
  body: z.object({}),
});

/** Makes every browser ask for the second step again. */
export const forgetRememberedDevices = endpoint({
  route: 'DELETE /account/remembered-devices',
  summary: 'Ask every browser for the second step again',
  auth: 'bearer',
  sensitive: true,
});
