import { forgetDevice, rememberDevice, skipSecondStep } from '../store/access/devices.ts';
import { addSession, sessionLifetime } from '../store/access/sessions.ts';
import { setDbType, setTimeZone } from '../store/accounts/account-fields.ts';
import { type AccountsTable, proveEmail } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import { cancelDeletion } from '../store/accounts/delete-account.ts';
import type { StoreTransaction } from '../store/database.ts';
import { type Admission, authenticationBy } from './admission.ts';
import { isKnownTimeZone } from './known-time-zone.ts';
import { type Method, methods } from './methods.ts';
import { replaceSession } from './replace-session.ts';

/** An admission with the new session and the device's hash. */
export interface Entry extends Admission {
  readonly sessionId: string;
  readonly deviceHash: string;
  readonly now: number;
}

/** Records an entry: a proven address, a known device, the `db_type` label, and a line in the owner's activity log. */
export async function recordEntry(
  trx: StoreTransaction,
  { id }: AccountsTable,
  entry: Entry & { readonly isHalfProven: boolean },
): Promise<void> {
  const { proof, browser, isKnown, isHalfProven, dbType, deviceHash, now } = entry;
  const { provesEmail, records }: Method = methods[proof.method];
  const { visitor, shared } = browser;
  if (provesEmail) await proveEmail(trx, { accountId: id, at: now });
  // Otherwise each reset by email would bring another device with guesses of its own at the second step.
  if (!shared && (isKnown || !isHalfProven))
    await rememberDevice(trx, { tokenHash: deviceHash, accountId: id, at: now, visitor });
  // It became a known device before its owner marked it as shared.
  else if (isKnown) await forgetDevice(trx, { accountId: id, tokenHash: deviceHash });
  if (!shared && entry.skipsSecondStep) await skipSecondStep(trx, { tokenHash: deviceHash, accountId: id, now });
  await recordActivity(trx, { accountId: id, at: now, kind: records, visitor });
  if (dbType) await setDbType(trx, id, dbType);
}

/** Begins the session that replaces the browser's former one and keeps an account that was about to be deleted. */
export async function beginSession(
  trx: StoreTransaction,
  { id, delete_at, time_zone }: AccountsTable,
  { proof, sessionId, deviceHash, browser: { visitor, shared, formerSession }, now }: Entry,
): Promise<void> {
  const { amr, acr } = authenticationBy(proof, now);
  await addSession(trx, {
    id: sessionId,
    account_id: id,
    created_at: now,
    expires_at: now + sessionLifetime,
    ip: visitor.ip,
    user_agent: visitor.userAgent,
    shared: shared ? 1 : 0,
    amr: amr.join(' '),
    acr,
    device_hash: shared ? null : deviceHash,
  });
  const { timeZone } = visitor;
  if (timeZone && timeZone !== time_zone && isKnownTimeZone(timeZone))
    await setTimeZone(trx, { accountId: id, timeZone });
  await replaceSession(trx, { former: formerSession, sessionId, accountId: id, now });
  if (delete_at === null) return;
  await cancelDeletion(trx, id);
  await recordActivity(trx, { accountId: id, at: now, kind: 'deletion_taken_back', visitor });
}
