import * as z from 'zod/mini';
import { endpoint, named } from '../endpoint.ts';
import { minutes } from '../units.ts';
import type { SecondStepWay } from './sign-in-methods.ts';

/**
 * Response to requests that begin or refresh a session (RFC 6749, section 5.1); only the cookie contains the refresh
 * token.
 */
export const accessGranted = named(
  'AccessGranted',
  z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number(),
    deletion_canceled: z.optional(z.boolean()),
  }),
);

/** Sets `csrf_token` for a client that has not loaded a page. */
export const csrf = endpoint({
  route: 'GET /auth/csrf',
  summary: 'Set the CSRF token’s cookie',
});

export const refresh = endpoint({
  route: 'POST /auth/refresh',
  summary: 'Get an access token with the session’s cookie',
  response: accessGranted,
  failures: ['session_ended'],
});

export const logout = endpoint({
  route: 'POST /auth/logout',
  summary: 'End the session of this browser',
});

/**
 * Values of `amr` (RFC 8176): `otp` is a code of an authenticator app or a recovery code, `mca` an emailed code, `swk`
 * and `hwk` are passkeys in software and in hardware, `user` is a test of presence, and `mfa` stands for two factors.
 */
const authenticationMethods = ['pwd', 'mca', 'otp', 'swk', 'hwk', 'user', 'mfa'] as const;
export type AuthenticationMethod = (typeof authenticationMethods)[number];
/** Those that can come first: a sign-in begins with them. */
export type FirstMethod = Exclude<AuthenticationMethod, 'otp' | 'user' | 'mfa'>;

/** Authentication assurance level (NIST SP 800-63B-4): `aal2` for two factors, or a passkey with user verification. */
export type AssuranceLevel = 'aal1' | 'aal2';

/** How and when the owner of a session last proved who they are. */
export interface Authentication {
  /** Milliseconds since the epoch. A refresh does not change it. */
  readonly authTime: number;
  readonly amr: readonly AuthenticationMethod[];
  readonly acr: AssuranceLevel;
}

/** A sign-in that has begun a session. */
export interface Admitted extends Authentication {
  readonly accountId: string;
  /** Id of the new session, if the method begins one. */
  readonly sessionId: string;
  /** The generation of its newest refresh token; absent for a new session. */
  readonly generation?: number;
  /** Identifies the browser as known from now on; undefined on a shared computer. */
  readonly deviceToken: string | undefined;
  readonly shared: boolean;
  /** The sign-in canceled the planned deletion of the account. */
  readonly deletionCanceled: boolean;
}

/** A sign-in that waits for its second step. */
export interface SignInPending {
  readonly accountId: string;
  /** The secret that its browser keeps in a cookie. */
  readonly pending: string;
  /** What the account can take the second step with. */
  readonly ways: readonly SecondStepWay[];
}

/** The outcome of a proof. */
export type AdmissionResult = Admitted | SignInPending;

/** How long after a proof of identity sensitive requests need no other one (RFC 9470, `max_age`). */
export const stepUpLifetime = minutes(15);

/** An unused session on a shared computer ends after this time; its page ends it, because an idle page polls. */
export const sharedIdleLifetime = minutes(30);
/** How long the challenge of a passkey is valid. Pages renew it before. */
export const challengeLifetime = minutes(5);
