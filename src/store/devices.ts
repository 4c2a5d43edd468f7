import { days } from '../contract/durations.ts';
import type { Store } from './database.ts';

/** How long a browser that signed in stays known. */
export const deviceLifetime = days(365);

/** A browser that has signed in to an account before: it keeps a secret cookie, we keep its SHA-256. */
export interface DevicesTable {
  token_hash: string;
  account_id: string;
  created_at: number;
  last_seen_at: number;
}

export const isKnownDevice = async (
  store: Store,
  { tokenHash, accountId, since }: { tokenHash: string; accountId: string; since: number },
): Promise<boolean> =>
  (await store
    .selectFrom('devices')
    .select('token_hash')
    .where('token_hash', '=', tokenHash)
    .where('account_id', '=', accountId)
    .where('last_seen_at', '>', since)
    .executeTakeFirst()) !== undefined;

/** After a reset nobody is known any more: whoever had the old password may have been. */
export const forgetDevices = (store: Store, accountId: string) =>
  store.deleteFrom('devices').where('account_id', '=', accountId).execute();

export const rememberDevice = (store: Store, device: { tokenHash: string; accountId: string; at: number }) =>
  store
    .insertInto('devices')
    .values({
      token_hash: device.tokenHash,
      account_id: device.accountId,
      created_at: device.at,
      last_seen_at: device.at,
    })
    .onConflict((conflict) => conflict.columns(['token_hash', 'account_id']).doUpdateSet({ last_seen_at: device.at }))
    .execute();
