import type { ExpressionBuilder } from 'kysely';
import { type Database, engineOf, type Store } from '../database.ts';
import type { OutboxTable } from './outbox.ts';

interface Claim {
  /** 1 claims emails that people wait for, 0 claims notifications. */
  readonly urgent: OutboxTable['urgent'];
  readonly limit: number;
  readonly now: number;
  /** Milliseconds after which other workers may claim an email whose worker died. */
  readonly leaseFor: number;
  /** The notices that this node knows: during a deployment, a newer node may write others. */
  readonly notices: readonly string[];
  /** Ids that this worker is sending already, even if a clock set forward has ended their leases. */
  readonly sending?: readonly string[];
}

/**
 * Claims due emails, each for exactly one worker. Urgent emails go newest first; notifications go oldest first and in
 * each account's order, but not while their batch is still open.
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
        // A single statement is exclusive in SQLite; PostgreSQL's workers skip each other's rows.
        .$if(engineOf(store) === 'postgres', (due) => due.forUpdate().skipLocked()),
    )
    .updateTable('outbox')
    .set((row) => ({ leased_until: now + leaseFor, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (row) => row.selectFrom('due').select('due.id'))
    .returningAll()
    .execute();
  // The statement selects in that order, but does not return in it.
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
 * Makes urgent emails and those that wait for another attempt due now: for a start, which may follow a fixed setting.
 * Leaves notifications without an attempt alone, since their batches are still open.
 */
export const makeAllDue = (store: Store, { now, leaseFor }: Time) =>
  store
    .updateTable('outbox')
    .set((row) => ({
      due_at: row.case().when('due_at', '>', now).then(now).else(row.ref('due_at')).end(),
      leased_until: expireLeases(row, longestLease({ now, leaseFor })),
    }))
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where((where) => where.or([where('attempts', '>', 0), where('urgent', '=', 1)]))
    .where((where) =>
      where.or([where('due_at', '>', now), where('leased_until', '>', longestLease({ now, leaseFor }))]),
    )
    .execute();

/** Follows a clock that was set back by `by` milliseconds: otherwise waiting emails would wait that much longer. */
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
      leased_until: expireLeases(row, longestLease({ now, leaseFor })),
    }))
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .where((where) =>
      where.or([where('due_at', '>', now), where('leased_until', '>', longestLease({ now, leaseFor }))]),
    )
    .execute();

/** The end of the longest valid lease: another node may have claimed an email since `now`, or its clock may be ahead. */
const longestLease = ({ now, leaseFor }: Time): number => now + 2 * leaseFor;

/** Ends leases longer than any that we give: they are from before the clock was set back. */
const expireLeases = (row: ExpressionBuilder<Database, 'outbox'>, longest: number) =>
  row.case().when('leased_until', '>', longest).then(0).else(row.ref('leased_until')).end();
