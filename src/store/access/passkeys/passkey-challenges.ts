import { challengeLifetime } from '../../../contract/sign-in/lifetimes.ts';
import { singleUse } from '../../single-use.ts';

/** The purpose of a challenge. */
export type ChallengePurpose = 'sign_in' | 'create' | 'second_step' | 'step_up';

/** A WebAuthn challenge, valid once, for one purpose, in one browser. */
export interface PasskeyChallengesTable {
  /** SHA-256 of the challenge in base64url. */
  hash: string;
  purpose: ChallengePurpose;
  /** SHA-256 of the secret cookie of the browser that requested it. */
  browser_hash: string;
  /** Null for a sign-in, which begins without an account. */
  account_id: string | null;
  session_id: string | null;
  /** 1 if the browser creates the passkey without a prompt. */
  automatic: 0 | 1;
  created_at: number;
}

declare module '../../database.ts' {
  interface Database {
    passkey_challenges: PasskeyChallengesTable;
  }
}

export const challenges = singleUse('passkey_challenges', { lifetime: challengeLifetime, keeps: false });

/** A challenge as its response presents it. Anything that differs leaves it unused. */
export type PresentedChallenge = Omit<PasskeyChallengesTable, 'automatic' | 'created_at'>;
