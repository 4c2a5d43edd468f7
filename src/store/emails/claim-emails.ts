import type { ExpressionBuilder } from 'kysely';
import { type Database, engineOf, type Store } from '../database.ts';
import type { OutboxTable } from './outbox.ts';

interface Claim {
  /** What somebody waits for, or what only tells. */
  readonly urgent: OutboxTable['urgent'];
  readonly limit: number;
  readonly now: number;
  /** Milliseconds after which a claim whose worker died is anybody's again. */
  readonly leaseFor: number;
  /** Those that this node knows: during a deploy a newer one may write others. */
  readonly notices: readonly string[];
  /** What this worker is sending already, whatever a clock that was put forward makes of its lease. */
  readonly sending?: readonly string[];
}

/**
 * Claims due letters, each for exactly one of any number of workers. Of what people wait for the newest come first; of what
 * only tells the oldest, in each account's order: not those that others are still gathered into.
 */
export async function claimEmails(
  store: Store,
  { urgent, limit, now, leaseFor, notices, sending = [] }: Claim,
): Promise<OutboxTable[]> {
  const claimed = await store
    .with('due', (db) =>
      db
        .selectFrom('outbox')
        .select('outbox.id')
        .where('outbox.sent_at', 'is', null)
        .where('outbox.gave_up_at', 'is', null)
        .where('outbox.urgent', '=', urgent)
        .where('outbox.due_at', '<=', now)
        // mutation: lease-never-ends, claimed-twice, dead-keep-their-lease
        .where('outbox.leased_until', '<=', now)
        .where('outbox.notice', 'in', notices)
        .$if(sending.length > 0, (due) => due.where('outbox.id', 'not in', sending))
        .$if(urgent === 0, (due) =>
          due.where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('outbox as older')
                  .select('older.id')
                  .whereRef('older.account_id', '=', 'outbox.account_id')
                  .whereRef('older.id', '<', 'outbox.id')
                  .where('older.urgent', '=', 0)
                  .where('older.sent_at', 'is', null)
                  .where('older.gave_up_at', 'is', null)
                  .where((older) => older.or([older('older.due_at', '<=', now), older('older.attempts', '>', 0)])),
              ),
            ),
          ),
        )
        .orderBy('outbox.created_at', urgent === 1 ? 'desc' : 'asc')
        .orderBy('outbox.id', urgent === 1 ? 'desc' : 'asc')
        .limit(limit)
        // SQLite's single statement is alone anyway; PostgreSQL's workers step over each other's rows.
        .$if(engineOf(store) === 'postgres', (due) => due.forUpdate().skipLocked()),
    )
    .updateTable('outbox')
    .set((row) => ({ leased_until: now + leaseFor, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (row) => row.selectFrom('due').select('due.id'))
    .returningAll()
    .execute();
  // The statement picks by that order and does not return by it.
  const newestFirst = (one: OutboxTable, other: OutboxTable) =>
    other.created_at - one.created_at || (other.id > one.id ? 1 : -1);
  const inOrder = claimed.sort(newestFirst);
  return urgent === 1 ? inOrder : inOrder.reverse();
}

interface Time {
  readonly now: number;
  readonly leaseFor: number;
}

/**
 * Has everything tried at once that waits for another attempt, or that somebody waits for: for a start, which may follow a
 * mended setting. A notice that was not tried yet is kept so that others are gathered into it.
 */
export const makeAllDue = (store: Store, { now, leaseFor }: Time) =>
  store
    .updateTable('outbox')
    .set((row) => ({
      due_at: row.case().when('due_at', '>', now).then(now).else(row.ref('due_at')).end(),
      leased_until: expireLeases(row, now + leaseFor),
    }))
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where((where) => where.or([where('attempts', '>', 0), where('urgent', '=', 1)]))
    .where((where) => where.or([where('due_at', '>', now), where('leased_until', '>', now + leaseFor)]))
    .execute();

/** Follows a clock that was put back, by so many milliseconds: else what waits would wait so much longer. */
export const shiftTimes = (store: Store, { by, now, leaseFor }: Time & { readonly by: number }) =>
  store
    .updateTable('outbox')
    .set((row) => ({
      due_at: row
        .case()
        .when('due_at', '>', now)
        .then(row('due_at', '-', by))
        .else(row.ref('due_at'))
        .end(),
      leased_until: expireLeases(row, now + leaseFor),
    }))
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where((where) => where.or([where('due_at', '>', now), where('leased_until', '>', now + leaseFor)]))
    .execute();

/** A lease that is longer than any was given at another time of the clock. */
const expireLeases = (row: ExpressionBuilder<Database, 'outbox'>, longest: number) =>
  row.case().when('leased_until', '>', longest).then(0).else(row.ref('leased_until')).end();
