import type { Store } from './database.ts';
import { orderedId } from './ordered-id.ts';

/** What happened to an account, for its owner to read. */
export type ActivityKind =
  | 'registered'
  | 'signed_in'
  | 'signed_out'
  | 'recovery_requested'
  | 'password_reset'
  | 'refresh_reused'
  /** An answer that was lost was given again, after its grace. */
  | 'refresh_repeated'
  /** A token was newer than the database, which had been restored from a backup. */
  | 'refresh_adopted';

export interface ActivityTable {
  /** UUID version 7: sorts by time. */
  id: string;
  account_id: string;
  at: number;
  kind: ActivityKind;
  ip: string;
  user_agent: string;
}

export const recordActivity = (store: Store, record: Omit<ActivityTable, 'id'>) =>
  store
    .insertInto('activity')
    .values({ id: orderedId(), ...record })
    .execute();
