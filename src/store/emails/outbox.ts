import { sql } from 'kysely';
import type { LanguageCode } from '../../contract/languages.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** A letter to a person, written in the transaction that it announces. */
export interface OutboxTable {
  /** UUID version 7: the order in which letters were written, and the left half of the mail's Message-ID. */
  id: string;
  account_id: string | null;
  channel: 'mail';
  /** Which text: `recovery`, `password_changed`, … */
  notice: string;
  /** 1 where somebody sits and waits for it. */
  urgent: 0 | 1;
  locale: LanguageCode;
  recipient: string;
  /** The notice's parameters as JSON; emptied once sent, since they may hold a live link. */
  params: string;
  created_at: number;
  due_at: number;
  attempts: number;
  /** One worker has it until then. Grows with every claim, so it also says which claim a worker acts under. */
  leased_until: number;
  sent_at: number | null;
  gave_up_at: number | null;
  last_error: string | null;
}

declare module '../database.ts' {
  interface Database {
    outbox: OutboxTable;
  }
}

type NewEmail = Pick<
  OutboxTable,
  'id' | 'account_id' | 'channel' | 'notice' | 'urgent' | 'locale' | 'recipient' | 'params' | 'created_at'
>;

/** `created_at` may lie ahead: until then the letter is kept, and others may be gathered into it. */
export const addEmail = (trx: StoreTransaction, email: NewEmail) =>
  trx
    .insertInto('outbox')
    .values({
      ...email,
      due_at: email.created_at,
      attempts: 0,
      leased_until: 0,
      sent_at: null,
      gave_up_at: null,
      last_error: null,
    })
    .execute();

interface EmailKind {
  readonly accountId: string;
  readonly notice: string;
  readonly now: number;
}

/** The letter of a kind that an account's are gathered into: not yet due, so nobody has it. */
export const findOpenBatch = (trx: StoreTransaction, { accountId, notice, now }: EmailKind) =>
  trx
    .selectFrom('outbox')
    .select(['id', 'params'])
    .where('account_id', '=', accountId)
    .where('notice', '=', notice)
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where('due_at', '>', now)
    .where('attempts', '=', 0)
    .executeTakeFirst();

/** Replaces what a letter says; false once somebody has it. */
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

/** When the newest of an account's letters of a kind were written, the newest first; none that a clock has written that was ahead. */
export async function emailTimes(
  trx: StoreTransaction,
  { accountId, notice, now, most }: EmailKind & { readonly most: number },
): Promise<number[]> {
  const rows = await trx
    .selectFrom('outbox')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('notice', '=', notice)
    .where('created_at', '<=', now)
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
  return rows.map((row) => row.created_at);
}

/** It left, under whichever claim: a link in it lives from now on, so the letter forgets it. */
export const markSent = (store: Store, { id, at }: { id: string; at: number }) =>
  store
    .updateTable('outbox')
    .set({
      sent_at: at,
      params: '{}',
      last_error: null,
      // The last letter of an account that is gone: nothing of its owner stays.
      recipient: sql<string>`case when notice = 'account_deleted' then '' else recipient end`,
    })
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .execute();

/** What was said of a letter that had left; for the operator to see. */
export const addEmailNote = (store: Store, { id, note }: { id: string; note: string }) =>
  store.updateTable('outbox').set({ last_error: note }).where('id', '=', id).where('sent_at', 'is not', null).execute();

/** It did not leave: another attempt at `dueAt`. Only for the worker whose claim still stands. */
export const postponeEmail = (
  store: Store,
  { id, leasedUntil, dueAt, error }: { id: string; leasedUntil: number; dueAt: number; error: string },
) =>
  store
    .updateTable('outbox')
    .set({ due_at: dueAt, leased_until: 0, last_error: error })
    .where('id', '=', id)
    .where('leased_until', '=', leasedUntil)
    .where('sent_at', 'is', null)
    .execute();

/** It was not even tried: nobody answered, which says nothing of this letter. It keeps its turn, and its count of attempts. */
export const releaseEmail = (
  store: Store,
  { id, leasedUntil, error }: { id: string; leasedUntil: number; error: string },
) =>
  store
    .updateTable('outbox')
    .set((row) => ({ leased_until: 0, attempts: row('attempts', '-', 1), last_error: error }))
    .where('id', '=', id)
    // mutation: releases-others-claims
    .where('leased_until', '=', leasedUntil)
    .where('sent_at', 'is', null)
    .execute();

/** Why a letter was not even tried: mails to its address come back. */
export const suppressedReason = 'The address cannot be reached, as vestibule suppressed says';

/** It will not leave. It stays, with its reason, for the operator to see and to send again. */
export const giveUpEmail = (
  store: Store,
  { id, leasedUntil, at, error }: { id: string; leasedUntil: number; at: number; error: string },
) =>
  store
    .updateTable('outbox')
    .set({ gave_up_at: at, leased_until: 0, last_error: error })
    .where('id', '=', id)
    .where('leased_until', '=', leasedUntil)
    .where('sent_at', 'is', null)
    .execute();

/** Gives up what is older than anybody's patience, even while nobody can be asked to take it. Returns what that was. */
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

/** How many letters wait, and since when the oldest does. */
export const outboxBacklog = (store: Store) =>
  store
    .selectFrom('outbox')
    .select((row) => [row.fn.countAll<number>().as('queued'), row.fn.min('created_at').as('oldest')])
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .executeTakeFirstOrThrow();
