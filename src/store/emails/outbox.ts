import { type SqlBool, sql } from 'kysely';
import type { LanguageCode } from '../../contract/languages.ts';
import { hours } from '../../contract/units.ts';
import type { Store, StoreTransaction } from '../database.ts';
import { notYetSent, type QueueColumns, queueOf } from '../queue.ts';

/** An email, written in the transaction that it reports. Its id is the left half of its Message-ID. */
export interface OutboxTable extends QueueColumns {
  account_id: string | null;
  channel: 'mail';
  /** Kind of text: `recovery`, `password_changed`, … */
  notice: string;
  /** 1 if a person is waiting for it. */
  urgent: 0 | 1;
  locale: LanguageCode;
  recipient: string;
  /** The notice's parameters as JSON, sealed if they hold a link or a code; emptied once sent. */
  params: string;
}

declare module '../database.ts' {
  interface Database {
    outbox: OutboxTable;
  }
}

/**
 * Urgent emails have a lane of their own, and leave newest first; notifications leave in each account's order, but not
 * while their batch is still open.
 */
export const emailQueue = queueOf<'outbox', 0 | 1>('outbox', {
  lane: 'urgent',
  order: 'created_at',
  inOrder: { of: 'account_id', by: 'id', openBatches: true },
  erased: {
    // A link in it works from now on.
    params: '{}',
    // The last email of a deleted account: erase its owner's address.
    recipient: sql<string>`case when notice = 'account_deleted' then '' else recipient end`,
  },
});

/** Emails with these notices: during a deployment, a newer node may write others. */
export const withNotice = (notices: readonly string[]) => sql<SqlBool>`notice in (${sql.join(notices)})`;

/**
 * Makes urgent emails and those that wait for another attempt due now: for a start, which may follow a fixed setting.
 * Leaves notifications without an attempt alone, since their batches are still open.
 */
export const makeAllDue = (store: Store, now: number) =>
  store
    .updateTable('outbox')
    .set({ due_at: now })
    .where('due_at', '>', now)
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where((where) => where.or([where('attempts', '>', 0), where('urgent', '=', 1)]))
    .execute();

type NewEmail = Pick<
  OutboxTable,
  'id' | 'account_id' | 'channel' | 'notice' | 'urgent' | 'locale' | 'recipient' | 'params' | 'created_at'
>;

/** Adds an email. Until a `created_at` in the future, it is an open batch that takes further items. */
export const addEmail = (trx: StoreTransaction, email: NewEmail) =>
  trx
    .insertInto('outbox')
    .values({ ...email, ...notYetSent, due_at: email.created_at })
    .execute();

interface EmailKind {
  readonly accountId: string;
  readonly notice: string;
  readonly now: number;
}

/**
 * An account's open batch of a kind: not due yet, so no worker has claimed it. One for a former address stays as it is:
 * that mailbox may be someone else's.
 */
export const findOpenBatch = (
  trx: StoreTransaction,
  { accountId, recipient, notice, now }: EmailKind & { readonly recipient: string },
) =>
  trx
    .selectFrom('outbox')
    .select(['id', 'params'])
    .where('account_id', '=', accountId)
    .where('notice', '=', notice)
    .where('recipient', '=', recipient)
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where('due_at', '>', now)
    .where('attempts', '=', 0)
    .executeTakeFirst();

/** Replaces an email's parameters; false if a worker has claimed it. */
export async function rewriteEmail(trx: StoreTransaction, { id, params }: { id: string; params: string }) {
  const rewritten = await trx
    .updateTable('outbox')
    .set({ params })
    .where('id', '=', id)
    .where('attempts', '=', 0)
    .returning('id')
    .executeTakeFirst();
  return rewritten !== undefined;
}

/** Times of an account's newest emails of a kind, the newest first; without times in the future, from a wrong clock. */
export async function emailTimes(
  trx: StoreTransaction,
  { accountId, notice, now, max }: EmailKind & { readonly max: number },
): Promise<number[]> {
  const rows = await trx
    .selectFrom('outbox')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('notice', '=', notice)
    .where('created_at', '<=', now)
    .orderBy('created_at', 'desc')
    .limit(max)
    .execute();
  return rows.map((row) => row.created_at);
}

export const addEmailNote = (store: Store, { id, note }: { id: string; note: string }) =>
  store.updateTable('outbox').set({ last_error: note }).where('id', '=', id).where('sent_at', 'is not', null).execute();

/** The error of emails that were not attempted because their address is suppressed. */
export const suppressedReason = 'The address cannot be reached, as vestibule suppressed says';

/** Gives up emails from before a time, even while no mail server responds. Returns them. */
export const giveUpEmailsBefore = (
  store: Store,
  { before, now, error }: { before: number; now: number; error: string },
) =>
  store
    .updateTable('outbox')
    .set({
      gave_up_at: now,
      last_error: sql<string>`cast(${error} as text) || coalesce('. Before: ' || last_error, '')`,
    })
    .where('urgent', 'in', [0, 1])
    .where('created_at', '<=', before)
    .where('leased_until', '<=', now)
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .returning(['id', 'notice', 'attempts'])
    .execute();

/** An email that could not be delivered for this long is given up. */
export const givenUpAfter = hours(24);
/** How long a link or code can wait for the delivery of its email; its own lifetime begins then. */
export const deliveryLimit = givenUpAfter + hours(1);

interface DeliveryTry {
  /** Emails of one kind; the result excludes them. */
  readonly emails: readonly Pick<OutboxTable, 'id' | 'account_id' | 'notice'>[];
  readonly since: number;
}

/**
 * Accounts whose other emails of that kind were sent or given up since then, or are being sent; not suppressed ones.
 */
export async function accountsTriedSince(store: Store, { emails, since }: DeliveryTry): Promise<Set<string>> {
  const accounts = emails.flatMap(({ account_id: account }) => account ?? []);
  const tried = await store
    .selectFrom('outbox')
    .select('account_id')
    .distinct()
    .where('account_id', 'in', accounts)
    .where(
      'notice',
      'in',
      emails.map(({ notice }) => notice),
    )
    .where(
      'id',
      'not in',
      emails.map(({ id }) => id),
    )
    .where((where) =>
      where.or([
        where('sent_at', '>', since),
        where.and([where('gave_up_at', '>', since), where('last_error', '!=', suppressedReason)]),
        where.and([where('sent_at', 'is', null), where('gave_up_at', 'is', null), where('leased_until', '>', since)]),
      ]),
    )
    .execute();
  return new Set(tried.flatMap(({ account_id: account }) => account ?? []));
}
