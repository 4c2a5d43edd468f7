/** Methods that can complete the second step of a sign-in. */
export const secondStepWays = ['authenticator', 'passkey', 'recovery_code'] as const;
export type SecondStepWay = (typeof secondStepWays)[number];

/** Methods with which a signed-in user proves again who they are (step-up, RFC 9470); dialogs offer the first. */
export const stepUpWays = ['authenticator', 'password', 'passkey'] as const;
export type StepUpWay = (typeof stepUpWays)[number];

/** The methods by which owners can prove their identity. */
export interface SignInMethods {
  readonly password: boolean;
  /** A confirmed authenticator: the account has a second step, and its password alone proves too little. */
  readonly authenticator: boolean;
  readonly passkeys: number;
}

/** Methods that an account accepts for a step-up. */
export function stepUpWaysOf({ password, authenticator, passkeys }: SignInMethods): StepUpWay[] {
  const isAccepted: Readonly<Record<StepUpWay, boolean>> = {
    password: password && !authenticator,
    authenticator,
    passkey: passkeys > 0,
  };
  return stepUpWays.filter((way) => isAccepted[way]);
}
