import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { authenticatorCode, recoveryCode } from '../../contract/fields/fields.ts';
import { accessGranted } from '../../contract/sign-in/admission.ts';
import { secondStepWays } from '../../contract/sign-in/sign-in-methods.ts';
import { requestOptions, usedPasskey } from '../../contract/sign-in/web-authn.ts';

/** Whether this browser waits for the second step of a sign-in, for a page that was reloaded. */
export const pendingSignIn = endpoint({
  route: 'GET /auth/second-step',
  summary: 'Read the pending sign-in of this browser',
  response: z.object({
    /** Empty without a pending sign-in. */
    ways: z.array(z.enum(secondStepWays)),
    removal_at: z.nullable(z.string()),
  }),
});

export const secondStepChallenge = endpoint({
  route: 'POST /auth/second-step/challenge',
  summary: 'Request the challenge of a second step with a passkey',
  body: z.object({}),
  response: requestOptions,
  failures: ['sign_in_expired', 'too_many_requests'],
});

/** Exactly one of the first three. */
export const secondStepProof = z.object({
  code: z.optional(authenticatorCode),
  recovery_code: z.optional(recoveryCode),
  credential: z.optional(usedPasskey),
  remember: z.catch(z.optional(z.boolean()), undefined),
});

/** The page’s two forms. */
export const codeForm = z.object({ code: authenticatorCode });
export const recoveryForm = z.object({ recovery_code: recoveryCode });

export const secondStep = endpoint({
  route: 'POST /auth/second-step',
  summary: 'Complete a sign-in with its second step',
  body: secondStepProof,
  response: accessGranted,
  // If it contains none of the proofs, or several.
  fieldCodes: ['required'],
  failures: [
    'code_incorrect',
    'passkey_refused',
    'challenge_expired',
    'sign_in_expired',
    'email_cannot_be_used',
    'too_many_attempts',
    'too_many_requests',
  ],
});

/** Requests the removal of the second step of an account whose owner has lost it. It takes effect after a delay. */
export const secondStepLost = endpoint({
  route: 'POST /auth/second-step/lost',
  summary: 'Request the removal of a lost second step',
  body: z.object({}),
  status: 202,
  response: z.object({
    removal_at: z.string(),
  }),
  failures: ['sign_in_expired', 'too_many_requests'],
});

/** The link in the email about a requested removal. */
export const stopRemoval = endpoint({
  route: 'POST /auth/second-step/keep',
  summary: 'Stop the removal of the second step with the link in its email',
  body: z.object({ hash: z.catch(z.string(), '') }),
  failures: ['confirmation_link_expired', 'too_many_requests'],
});
