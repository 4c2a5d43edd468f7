import { minutes } from '../durations.ts';
import type { SecondStepWay } from './sign-in-methods.ts';

/**
 * Values of `amr` (RFC 8176): `otp` is a code of an authenticator app or a recovery code, `mca` an emailed code, `swk`
 * and `hwk` are passkeys in software and in hardware, `user` is a test of presence, and `mfa` stands for two factors.
 */
export const authenticationMethods = ['pwd', 'mca', 'otp', 'swk', 'hwk', 'user', 'mfa'] as const;
export type AuthenticationMethod = (typeof authenticationMethods)[number];

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
