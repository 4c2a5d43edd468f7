import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { authenticatorCode, password } from '../fields/fields.ts';
import { accessGranted } from './admission.ts';
import { requestOptions, usedPasskey } from './web-authn.ts';

/** Options for a step-up with a passkey of the signed-in account. */
export const stepUpChallenge = endpoint({
  route: 'POST /auth/step-up/challenge',
  summary: 'Request the challenge of a step-up with a passkey',
  auth: 'bearer',
  body: z.object({}),
  response: requestOptions,
  failures: ['too_many_requests'],
});

/** Exactly one of the three; the refusal `step_up_required` lists those that the account accepts. */
export const stepUpProof = z.object({
  password: z.optional(password),
  code: z.optional(authenticatorCode),
  credential: z.optional(usedPasskey),
});

/** The forms of the dialog: their fields have names of their own because the page may have others. */
export const stepUpByPassword = z.object({ step_up_password: password });
export const stepUpByCode = z.object({ step_up_code: authenticatorCode });

/** Proves again who the signed-in user is. The response’s token has a new `auth_time` (RFC 9470). */
export const stepUp = endpoint({
  route: 'POST /auth/step-up',
  summary: 'Prove the identity of the signed-in user again, before a sensitive request',
  auth: 'bearer',
  body: stepUpProof,
  response: accessGranted,
  // If it contains none of the proofs, or several.
  fieldCodes: ['required'],
  failures: [
    // For a method that the account does not accept.
    'step_up_required',
    'incorrect_password',
    'code_incorrect',
    'passkey_refused',
    'challenge_expired',
    'too_many_attempts',
    'too_many_requests',
  ],
});
