import type { LanguageCode } from '../contract/languages.ts';
import { engineOf, type Store, type StoreTransaction } from './database.ts';

/** A letter to a person, written in the transaction that it announces. */
export interface OutboxTable {
  /** UUID version 7: the order in which letters were written, and the left half of the mail's Message-ID. */
  id: string;
  account_id: string | null;
  channel: 'mail';
  /** Which text: `recovery`, `password_changed`, … */
  notice: string;
  locale: LanguageCode;
  recipient: string;
  /** The notice's parameters as JSON; emptied once sent, since they may hold a live link. */
  params: string;
  created_at: number;
  due_at: number;
  attempts: number;
  /** Until then one worker has it. Grows with every claim, so it also says which claim a worker acts under. */
  leased_until: number;
  sent_at: number | null;
  gave_up_at: number | null;
  last_error: string | null;
}

type Written = Pick<
  OutboxTable,
  'id' | 'account_id' | 'channel' | 'notice' | 'locale' | 'recipient' | 'params' | 'created_at'
>;

/** `created_at` may lie ahead: until then the letter is kept, and others may be gathered into it. */
export const addLetter = (trx: StoreTransaction, letter: Written) =>
  trx
    .insertInto('outbox')
    .values({
      ...letter,
      due_at: letter.created_at,
      attempts: 0,
      leased_until: 0,
      sent_at: null,
      gave_up_at: null,
      last_error: null,
    })
    .execute();

/** Makes what did not leave and waits for another attempt due now: its owner asks again, so they are waiting for it. */
export const hurryLetters = (trx: StoreTransaction, { accountId, now }: { accountId: string; now: number }) =>
  trx
    .updateTable('outbox')
    .set({ due_at: now })
    .where('account_id', '=', accountId)
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where('due_at', '>', now)
    .where('attempts', '>', 0)
    .execute();

interface Kind {
  readonly accountId: string;
  readonly notice: string;
  readonly now: number;
}

/** The letter of a kind that an account's are gathered into: not yet due, so nobody has it. */
export const gatheringLetter = (trx: StoreTransaction, { accountId, notice, now }: Kind) =>
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
export async function rewriteLetter(trx: StoreTransaction, { id, params }: { id: string; params: string }) {
  const rewritten = await trx
    .updateTable('outbox')
    .set({ params })
    .where('id', '=', id)
    .where('attempts', '=', 0)
    .returning('id')
    .executeTakeFirst();
  return rewritten !== undefined;
}

/** When the newest of an account's letters of a kind were written, the newest first. */
export async function letterTimes(
  trx: StoreTransaction,
  { accountId, notice, most }: { accountId: string; notice: string; most: number },
): Promise<number[]> {
  const rows = await trx
    .selectFrom('outbox')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('notice', '=', notice)
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
  return rows.map((row) => row.created_at);
}

interface Claim {
  readonly limit: number;
  readonly now: number;
  /** Milliseconds after which a claim whose worker died is anybody's again. */
  readonly leaseFor: number;
  /** Of one urgency, and known to this node: during a deploy a newer one may write others. */
  readonly notices: readonly string[];
}

/**
 * Claims due letters, each for exactly one of any number of workers, and of an account only the oldest of these notices:
 * not one that others are still gathered into.
 */
export function claimLetters(store: Store, { limit, now, leaseFor, notices }: Claim): Promise<OutboxTable[]> {
  return store
    .with('due', (db) =>
      db
        .selectFrom('outbox')
        .select('outbox.id')
        .where('outbox.sent_at', 'is', null)
        .where('outbox.gave_up_at', 'is', null)
        .where('outbox.due_at', '<=', now)
        .where('outbox.leased_until', '<=', now)
        .where('outbox.notice', 'in', notices)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('outbox as older')
                .select('older.id')
                .whereRef('older.account_id', '=', 'outbox.account_id')
                .whereRef('older.id', '<', 'outbox.id')
                .where('older.sent_at', 'is', null)
                .where('older.gave_up_at', 'is', null)
                .where('older.notice', 'in', notices)
                .where((older) => older.or([older('older.due_at', '<=', now), older('older.attempts', '>', 0)])),
            ),
          ),
        )
        .orderBy('outbox.due_at')
        .limit(limit)
        // SQLite's single statement is alone anyway; PostgreSQL's workers step over each other's rows.
        .$if(engineOf(store) === 'postgres', (due) => due.forUpdate().skipLocked()),
    )
    .updateTable('outbox')
    .set((row) => ({ leased_until: now + leaseFor, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (row) => row.selectFrom('due').select('due.id'))
    .returningAll()
    .execute();
}

/** It left, under whichever claim: a link in it lives from now on, so the letter forgets it. */
export const markSent = (store: Store, { id, at }: { id: string; at: number }) =>
  store
    .updateTable('outbox')
    .set({ sent_at: at, params: '{}', last_error: null })
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .execute();

/** It did not leave: another attempt at `dueAt`. Only for the worker whose claim still stands. */
export const postponeLetter = (
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

/** It will not leave. It stays, with its reason, for the operator to see and to send again. */
export const giveUpLetter = (
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

/** How many letters wait, and since when the oldest does. */
export const outboxBacklog = (store: Store) =>
  store
    .selectFrom('outbox')
    .select((row) => [row.fn.countAll<number>().as('queued'), row.fn.min('created_at').as('oldest')])
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .executeTakeFirstOrThrow();
