import { createHash } from 'node:crypto';
import { days } from '../../contract/durations.ts';
import { emailKey } from '../accounts/email-key.ts';
import type { StoreTransaction } from '../database.ts';
import { limitKey } from '../rate-limit-keys.ts';
import { countAdditionalHits, rateLimitsFreeAt } from '../rate-limits.ts';

/** Emails of each limit per day to an address that nobody has proven, from all accounts that have or had it. */
const aDay = 10;

/** Undo links have a limit of their own, so that no other notice can use it up and keep a theft secret. */
export type UnprovenLimit = 'notices-to' | 'undo-links-to';

/**
 * Counts a notice to an address that its account has not proven; false if the address got too many today. It may be a
 * stranger's, and accounts can be registered and deleted in turn.
 */
export async function countUnprovenNotice(
  trx: StoreTransaction,
  { email, limit: name, at }: { readonly email: string; readonly limit: UnprovenLimit; readonly at: number },
): Promise<boolean> {
  const key = limitKey(name, createHash('sha256').update(emailKey(email)).digest('base64url'));
  if ((await rateLimitsFreeAt(trx, [{ key, limit: aDay, within: days(1) }], at)) > at) return false;
  await countAdditionalHits(trx, { key, times: 1, at });
  return true;
}
