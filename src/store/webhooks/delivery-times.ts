import type { ExpressionBuilder } from 'kysely';
import type { Database, Store } from '../database.ts';

interface Waiting {
  readonly receiver: string;
  readonly now: number;
}

const isWaiting =
  ({ receiver, now }: Waiting) =>
  (row: ExpressionBuilder<Database, 'webhook_deliveries'>) =>
    row.and([
      row('receiver', '=', receiver),
      row('due_at', '>', now),
      row('delivered_at', 'is', null),
      row('gave_up_at', 'is', null),
    ]);

/**
 * Makes a receiver's deliveries due now if their times are from before the clock was set back: they were created in the
 * future, or wait longer than any pause. The others keep their pauses, since each attempt counts.
 */
export const endOutdatedPauses = (store: Store, { longestPause, ...waiting }: Waiting & { longestPause: number }) =>
  store
    .updateTable('webhook_deliveries')
    .set({ due_at: waiting.now })
    .where(isWaiting(waiting))
    .where((row) => row.or([row('created_at', '>', waiting.now), row('due_at', '>', waiting.now + longestPause)]))
    .execute();

/** Follows a clock that was set back by `by` milliseconds. */
export const shiftDeliveries = (store: Store, { by, ...waiting }: Waiting & { by: number }) =>
  store
    .updateTable('webhook_deliveries')
    .set((row) => ({ due_at: row('due_at', '-', by) }))
    .where(isWaiting(waiting))
    .execute();
