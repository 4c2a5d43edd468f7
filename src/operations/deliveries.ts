import { iso, isoOrNull } from '../contract/units.ts';
import { noticesWith } from '../outbox/notices.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import type { Store, StoreTransaction } from '../store/database.ts';
import { type ListedEmail, pageOfEmails, requeueEmails } from '../store/emails/outbox-review.ts';
import { pageOfSuppressed, unsuppressAddress } from '../store/emails/suppression-list.ts';
import { audit, masked, type Operation } from './operation.ts';

/** Requeues emails that were given up or wait for their next attempt. Returns the ids of the requeued ones. */
export const retryEmails = ({ store, ...operation }: Operation, ids: readonly string[] | 'all'): Promise<string[]> =>
  store.transaction().execute(async (trx) => {
    const retried = await requeue(trx, { ids, at: operation.now });
    const subject = ids === 'all' ? `all: ${retried.length}` : retried.join(' ');
    if (retried.length > 0) await audit(trx, operation, { action: 'emails_retried', subject });
    return retried;
  });

/** The same within a transaction, without an entry in the audit log. */
export const requeue = (trx: StoreTransaction, { ids, at }: { ids: readonly string[] | 'all'; at: number }) =>
  requeueEmails(trx, {
    ids,
    shortLived: noticesWith('shortLived'),
    withResetLink: noticesWith('hasResetLink'),
    now: at,
  });

/** Removes an address, or the address of an account id, from the suppression list; false if it is not on it. */
export const allowAddressAgain = ({ store, ...operation }: Operation, who: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const account = await accountByAddressOrId(trx, who);
    const address = who.includes('@') ? who : account?.email;
    if (address === undefined || !(await unsuppressAddress(trx, address))) return false;
    const accountId = account && { accountId: account.id };
    await audit(trx, operation, { action: 'address_allowed', ...accountId, subject: masked(address) });
    return true;
  });

interface Page {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of the stored emails, all or of one account, the newest first; undefined if the cursor is not one of ours. */
export async function emailsPage(
  store: Store,
  { accountId, cursor, limit }: Page & { readonly accountId: string | undefined },
) {
  if (cursor !== undefined && !/^[\da-f-]{36}$/.test(cursor)) return undefined;
  const found = await pageOfEmails(store, { accountId, after: cursor, limit: limit + 1 });
  const items = found.slice(0, limit).map((email) => ({
    id: email.id,
    account_id: email.account_id,
    notice: email.notice,
    to: email.recipient,
    state: email.sent_at === null ? waitsOrNot(email) : ('sent' as const),
    created_at: iso(email.created_at),
    sent_at: isoOrNull(email.sent_at),
    attempts: email.attempts,
    last_error: email.last_error,
  }));
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}

export const waitsOrNot = ({ gave_up_at }: Pick<ListedEmail, 'gave_up_at'>) =>
  gave_up_at === null ? ('queued' as const) : ('given_up' as const);

/** A page of the suppression list, the newest first; undefined if the cursor is not one of ours. */
export async function suppressedPage(store: Store, { cursor, limit }: Page) {
  const from = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && !from) return undefined;
  const found = await pageOfSuppressed(store, {
    after: from && { at: from.at, email_key: from.key },
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const items = page.map(({ email_key: _, at, ...one }) => ({ ...one, at: iso(at) }));
  return { items, next: last ? cursorOf(last.at, last.email_key) : null };
}

/** The cursor of the page that begins after the row with this time and key. */
export const cursorOf = (at: number, key: string): string => Buffer.from(`${at}.${key}`).toString('base64url');

/** The time and the key in a cursor; undefined if it is not one of ours. */
export function readCursor(cursor: string): { readonly at: number; readonly key: string } | undefined {
  const [, at, key = ''] = /^(\d{1,15})\.([^\0]+)$/u.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return at === undefined ? undefined : { at: Number(at), key };
}
