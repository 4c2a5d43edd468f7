/** Methods that can complete the second step of a sign-in. */
export const secondStepWays = ['authenticator', 'passkey', 'recovery_code'] as const;
export type SecondStepWay = (typeof secondStepWays)[number];

/** Methods with which a signed-in user proves again who they are (step-up, RFC 9470). */
export const stepUpWays = ['password', 'authenticator', 'passkey'] as const;
export type StepUpWay = (typeof stepUpWays)[number];
