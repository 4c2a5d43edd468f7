import type { Service } from '../server/foundation.ts';
import { beginAtOnce } from '../store/access/begin-at-once.ts';
import type { Entry } from './admit.ts';

/**
 * Admits a known browser that signs in with its password, and brings nothing new, in one statement: PostgreSQL then
 * answers in one round trip instead of nine. Returns the account's id; undefined when there is more to do.
 */
export async function admitAtOnce({ store }: Pick<Service, 'store'>, entry: Entry): Promise<string | undefined> {
  const { proof, browser, isKnown, dbType, sessionId, deviceHash, now } = entry;
  const { visitor, shared, formerSession } = browser;
  if (!proof.password || !isKnown || shared) return undefined;
  const { account, lockout } = proof.password;
  const hasMoved = visitor.timeZone !== undefined && visitor.timeZone !== account.time_zone;
  if (hasMoved || (dbType && dbType !== account.db_type)) return undefined;
  const isBegun = await beginAtOnce(store, {
    accountId: account.id,
    passwordChangedAt: account.password_changed_at,
    lock: lockout,
    sessionId,
    deviceHash,
    former: formerSession,
    visitor,
    now,
  });
  return isBegun ? account.id : undefined;
}
