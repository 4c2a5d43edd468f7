import type { ActivityKind } from '../contract/activity-kinds.ts';
import type { AssuranceLevel, AuthenticationMethod } from '../contract/sign-in/authentication.ts';
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
