import { type SqlBool, sql } from 'kysely';
import { challengeLifetime } from '../../../contract/sign-in/lifetimes.ts';
import type { Store, StoreTransaction } from '../../database.ts';

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

export const addChallenge = (store: Store, challenge: PasskeyChallengesTable) =>
  store.insertInto('passkey_challenges').values(challenge).execute();

/** A challenge as its response presents it. Anything that differs leaves it unused. */
export interface PresentedChallenge {
  readonly hash: string;
  readonly purpose: ChallengePurpose;
  readonly browserHash: string;
  /** Empty for a sign-in. */
  readonly accountId: string;
  /** Empty without a session. */
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const isPresented = (given: PresentedChallenge) => sql<SqlBool>`
  hash = ${given.hash} and purpose = ${given.purpose} and browser_hash = ${given.browserHash}
  and coalesce(account_id, '') = ${given.accountId} and coalesce(session_id, '') = ${given.sessionId}
  and created_at > ${given.now - challengeLifetime}`;

/** A valid challenge; undefined if it is used, expired, or of another browser, account, session or purpose. */
export const findChallenge = (store: Store, presented: PresentedChallenge) =>
  store.selectFrom('passkey_challenges').select('automatic').where(isPresented(presented)).executeTakeFirst();

/** Uses a challenge up. True for exactly one of several parallel callers. */
export const consumeChallenge = async (
  store: Store | StoreTransaction,
  presented: PresentedChallenge,
): Promise<boolean> =>
  (await store.deleteFrom('passkey_challenges').where(isPresented(presented)).returning('hash').executeTakeFirst()) !==
  undefined;
