import { hours } from '../../contract/durations.ts';
import type { Store, StoreTransaction } from '../database.ts';
import { deliveryLimit } from '../emails/delivery-limit.ts';

/** Starts when its email is sent. */
const resetLinkLifetime = hours(1);

export interface ResetLinksTable {
  /** SHA-256 of the link's secret. */
  token_hash: string;
  account_id: string;
  /** The email with the link: the hour of validity begins when it is sent. */
  outbox_id: string;
  created_at: number;
  used_at: number | null;
  /** The label from the request: stored with the account once its owner has used the link. */
  db_type: string | null;
}

declare module '../database.ts' {
  interface Database {
    reset_links: ResetLinksTable;
  }
}

export const addResetLink = (trx: StoreTransaction, link: Omit<ResetLinksTable, 'used_at'>) =>
  trx
    .insertInto('reset_links')
    .values({ ...link, used_at: null })
    .execute();

/** The account of a link that still works, or undefined. */
export const findResetLink = (store: Store, { tokenHash, now }: { tokenHash: string; now: number }) =>
  store
    .selectFrom('reset_links')
    .innerJoin('outbox', 'outbox.id', 'reset_links.outbox_id')
    .innerJoin('accounts', 'accounts.id', 'reset_links.account_id')
    .select(['accounts.id as account_id', 'accounts.email', 'accounts.email_key', 'accounts.email_proven_at'])
    .select(['accounts.name', 'accounts.locale', 'accounts.time_zone', 'reset_links.db_type'])
    .where('reset_links.token_hash', '=', tokenHash)
    .where('reset_links.used_at', 'is', null)
    .where('reset_links.created_at', '>', now - deliveryLimit)
    .where((where) =>
      where.or([where('outbox.sent_at', 'is', null), where('outbox.sent_at', '>', now - resetLinkLifetime)]),
    )
    .executeTakeFirst();

/** Whether a link was sent to this address and was then used, or ended by a change of the account. */
export async function isSpentResetLink(
  store: Store,
  { tokenHash, key }: { tokenHash: string; key: string },
): Promise<boolean> {
  const spent = await store
    .selectFrom('reset_links')
    .innerJoin('accounts', 'accounts.id', 'reset_links.account_id')
    .select('accounts.id')
    .where('reset_links.token_hash', '=', tokenHash)
    .where('reset_links.used_at', 'is not', null)
    .where('accounts.email_key', '=', key)
    .executeTakeFirst();
  return spent !== undefined;
}

/** Consumes a link, and with it every other link of the account. True for exactly one of several parallel callers. */
export async function consumeResetLink(
  trx: StoreTransaction,
  { tokenHash, accountId, now }: { tokenHash: string; accountId: string; now: number },
): Promise<boolean> {
  const consumed = await trx
    .updateTable('reset_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .returning('token_hash')
    .executeTakeFirst();
  if (!consumed) return false;
  await closeResetLinks(trx, { accountId, now });
  return true;
}

/** Invalidates all links of an account. */
export const closeResetLinks = (trx: StoreTransaction, { accountId, now }: { accountId: string; now: number }) =>
  trx
    .updateTable('reset_links')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .execute();
