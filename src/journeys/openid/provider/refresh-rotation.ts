import { createHmac } from 'node:crypto';
import { mostLateAnswers, refreshGrace } from '../../../store/access/rotations.ts';
import { countLateAnswer } from '../../../store/applications/client-grants.ts';
import { findRecord, type OpenIdRecordsTable } from '../../../store/applications/openid-records.ts';
import type { Store } from '../../../store/database.ts';

/**
 * The successor of a refresh token. A repeated request gets the same one, although we store only hashes. Computing it
 * requires our key.
 */
export const successorOf = (key: Buffer, token: string): string =>
  createHmac('sha256', key).update('client refresh token').update(token).digest('base64url');

interface UsedToken {
  readonly record: OpenIdRecordsTable;
  /** Keys of the records that its successor may have. */
  readonly successors: readonly string[];
  readonly now: number;
}

/**
 * Whether a refresh token that was used before may be used again: its successor is unused, so the response was lost or
 * two requests were parallel. Otherwise someone has a copy (RFC 9700, section 4.14.2).
 */
export async function mayRepeat(store: Store, { record, successors, now }: UsedToken): Promise<boolean> {
  for (const key of successors) {
    const successor = await findRecord(store, { key, now });
    if (successor?.consumed_at != null) return false;
  }
  if (record.consumed_at !== null && record.consumed_at > now - refreshGrace) return true;
  return record.grant_id !== null && countLateAnswer(store, { id: record.grant_id, most: mostLateAnswers });
}
