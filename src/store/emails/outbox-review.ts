import type { Store, StoreTransaction } from '../database.ts';
import { emailQueue, suppressedReason } from './outbox.ts';

interface EmailQuery {
  readonly sentSince: number;
  /** Only emails of this account. */
  readonly accountId?: string | undefined;
}

/** Emails for an operator to review: all waiting, all given up, and those sent since `sentSince`. */
export const listEmails = (store: Store, { sentSince, accountId }: EmailQuery) =>
  store
    .selectFrom('outbox')
    .select(['id', 'account_id', 'notice', 'recipient', 'created_at', 'due_at', 'attempts'])
    .select(['sent_at', 'gave_up_at', 'last_error'])
    .where((where) => where.or([where('sent_at', 'is', null), where('sent_at', '>', sentSince)]))
    .$if(accountId !== undefined, (rows) => rows.where('account_id', '=', accountId ?? ''))
    .orderBy('id')
    .execute();

interface EmailPage {
  readonly accountId: string | undefined;
  /** The id of the last email of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Emails that are still stored, the newest first. */
export const pageOfEmails = (store: Store, { accountId, after, limit }: EmailPage): Promise<ListedEmail[]> =>
  store
    .selectFrom('outbox')
    .select(['id', 'account_id', 'notice', 'recipient', 'created_at', 'due_at', 'attempts'])
    .select(['sent_at', 'gave_up_at', 'last_error'])
    .$if(accountId !== undefined, (rows) => rows.where('account_id', '=', accountId ?? ''))
    .$if(after !== undefined, (rows) => rows.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export type ListedEmail = Awaited<ReturnType<typeof listEmails>>[number];

/** State of the outbox: waiting emails, why the oldest waits, and emails given up since then, with the last reason. */
export async function outboxState(store: Store, { since }: { since: number }) {
  const { queued } = await emailQueue.backlog(store);
  const { gaveUp } = await store
    .selectFrom('outbox')
    .select((row) => row.fn.countAll<number>().as('gaveUp'))
    .where('gave_up_at', '>', since)
    .where('last_error', '!=', suppressedReason)
    .executeTakeFirstOrThrow();
  const lastGivenUp = await store
    .selectFrom('outbox')
    .select('last_error')
    .where('gave_up_at', '>', since)
    .where('last_error', '!=', suppressedReason)
    .orderBy('gave_up_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const oldest = await store
    .selectFrom('outbox')
    .select(['created_at', 'last_error'])
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return { queued, oldest, gaveUp, lastGivenUp };
}

interface Retry {
  readonly ids: readonly string[] | 'all';
  /** Notices that are useless a day later. */
  readonly shortLived: readonly string[];
  /** Notices with a reset link. */
  readonly withResetLink: readonly string[];
  readonly now: number;
}

/**
 * Retries emails that were given up: they are due now, get a full day again, and keep their id. Skips those with a dead
 * link: used, superseded, or deleted with its account. Emails that wait for their next try also become due now. Returns
 * the ids of both.
 */
export async function requeueEmails(
  trx: StoreTransaction,
  { ids, shortLived, withResetLink, now }: Retry,
): Promise<string[]> {
  const hurried = await makeDueNow(trx, { ids, now });
  const retried = await trx
    .updateTable('outbox')
    .set({ created_at: now, due_at: now, attempts: 0, gave_up_at: null })
    .where('gave_up_at', 'is not', null)
    .where('sent_at', 'is', null)
    .where('notice', 'not in', shortLived)
    .$if(ids !== 'all', (update) => update.where('id', 'in', ids as readonly string[]))
    .where((where) =>
      where.or([
        where('notice', 'not in', withResetLink),
        where.exists(
          where
            .selectFrom('reset_links')
            .select('reset_links.outbox_id')
            .whereRef('reset_links.outbox_id', '=', 'outbox.id')
            .where('reset_links.used_at', 'is', null),
        ),
      ]),
    )
    .returning('id')
    .execute();
  const retriedIds = retried.map(({ id }) => id);
  if (retriedIds.length > 0) await keepLinksAlive(trx, { outboxIds: retriedIds, now });
  return [...hurried, ...retriedIds];
}

async function makeDueNow(
  trx: StoreTransaction,
  { ids, now }: { ids: readonly string[] | 'all'; now: number },
): Promise<string[]> {
  const hurried = await trx
    .updateTable('outbox')
    .set({ due_at: now, attempts: 0 })
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where('due_at', '>', now)
    .$if(ids !== 'all', (update) => update.where('id', 'in', ids as readonly string[]))
    .returning('id')
    .execute();
  return hurried.map(({ id }) => id);
}

/** A reset link expires a day after its creation if its email is not delivered; a retry gives it another day. */
const keepLinksAlive = (trx: StoreTransaction, { outboxIds, now }: { outboxIds: readonly string[]; now: number }) =>
  trx
    .updateTable('reset_links')
    .set({ created_at: now })
    .where('outbox_id', 'in', outboxIds)
    .where('used_at', 'is', null)
    .execute();
