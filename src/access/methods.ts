import type { ActivityKind } from '../contract/activity.ts';
import type { AssuranceLevel, AuthenticationMethod } from '../contract/sign-in/admission.ts';
import type { SecondStepWay } from '../contract/sign-in/sign-in-methods.ts';
import type { ShutOutCause } from './shut-out-causes.ts';

/** A proof that needs a second step if the account has one. */
const oneFactor = (method: AuthenticationMethod) => ({ amr: [method], acr: 'aal1' }) as const;

/** Methods of proving who a person is, and their effects. To add a method, add a row. */
export const methods = {
  password: { ...oneFactor('pwd'), records: 'signed_in', beginsSession: true, notifiesNewDevice: true },
  email_code: { ...oneFactor('mca'), records: 'signed_in', beginsSession: true, provesEmail: true },
  registration: { ...oneFactor('pwd'), records: 'registered', beginsSession: true },
  repeated_registration: { ...oneFactor('pwd'), records: 'signed_in', beginsSession: true },
  recovery: {
    ...oneFactor('mca'),
    records: 'password_reset',
    beginsSession: false,
    provesEmail: true,
    shutsOut: 'password_reset',
  },
  /** With user verification, so it is complete. `amr` of the proof says whether the key is bound to hardware. */
  passkey: {
    amr: ['swk', 'user', 'mfa'],
    acr: 'aal2',
    records: 'signed_in',
    beginsSession: true,
    notifiesNewDevice: true,
  },
} as const satisfies Record<string, Method>;

export interface Method {
  /** How the session's tokens describe the proof. */
  readonly amr: readonly AuthenticationMethod[];
  readonly acr: AssuranceLevel;
  readonly records: ActivityKind;
  readonly beginsSession: boolean;
  /** The owner gets an email about a browser that is new to the account. */
  readonly notifiesNewDevice?: boolean;
  /** Proves that the person reads the account's email. */
  readonly provesEmail?: boolean;
  readonly shutsOut?: ShutOutCause;
}

export type MethodName = keyof typeof methods;

/** What each second factor adds to `amr`. A passkey is synced (`swk`) or bound to its device (`hwk`). */
const amrOfFactors = {
  authenticator: [['otp']],
  recovery_code: [['otp']],
  passkey: [
    ['swk', 'user', 'mfa'],
    ['hwk', 'user', 'mfa'],
  ],
} as const satisfies Record<SecondStepWay, readonly (readonly AuthenticationMethod[])[]>;

export type AmrOf<Way extends SecondStepWay> = (typeof amrOfFactors)[Way][number];

/** `amr` after another factor: the methods so far, the new ones, and `mfa`. */
export const withFactor = (
  amr: readonly AuthenticationMethod[],
  added: readonly AuthenticationMethod[],
): readonly AuthenticationMethod[] => [...new Set([...amr.filter((one) => one !== 'mfa'), ...added, 'mfa' as const])];

/** Every `amr` with which a session can begin: a passkey alone, or another method alone and with each second factor. */
export function amrOfSignIns(): ReadonlySet<string> {
  const first = Object.values(methods).filter(({ acr, beginsSession }) => acr === 'aal1' && beginsSession);
  const factors = Object.values(amrOfFactors).flat();
  const all = first.flatMap(({ amr }) => [amr, ...factors.map((factor) => withFactor(amr, factor))]);
  return new Set([...all, ...amrOfFactors.passkey].map((amr) => amr.join(' ')));
}
