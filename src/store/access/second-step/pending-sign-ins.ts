import { minutes } from '../../../contract/durations.ts';
import { singleUse } from '../../single-use.ts';

/** How long a sign-in waits for its second step. */
export const pendingSignInLifetime = minutes(10);

/** A sign-in whose first factor was right and is used up. */
export interface PendingSignInsTable {
  /** SHA-256 of the secret cookie of its browser. */
  token_hash: string;
  account_id: string;
  created_at: number;
  /** A name of `methods` in `access/methods.ts`. */
  method: string;
  shared: 0 | 1;
  db_type: string | null;
  /** SHA-256 of the browser's device token, if it had one. */
  device_hash: string | null;
  user_agent: string;
}

declare module '../../database.ts' {
  interface Database {
    pending_sign_ins: PendingSignInsTable;
  }
}

export const pendingSignIns = singleUse('pending_sign_ins', { lifetime: pendingSignInLifetime, keeps: false });
