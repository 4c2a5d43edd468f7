import { sql } from 'kysely';
import { days } from '../../contract/durations.ts';
import type { StoreTransaction } from '../database.ts';

/** How many records an account, or one of its computers, sent on a day. */
export interface RecordCountsTable {
  account_id: string;
  /** Empty for the whole account. */
  computer_id: string;
  /** Days since the epoch, in UTC. */
  day: number;
  records: number;
}

declare module '../database.ts' {
  interface Database {
    record_counts: RecordCountsTable;
  }
}

/** The UTC day of a time (ms since the epoch). */
export const dayOf = (time: number): number => Math.floor(time / days(1));

interface Added {
  readonly accountId: string;
  readonly computerId: string;
  readonly now: number;
  readonly records: number;
}

/**
 * Counts added records. Returns how many the computer and its account sent today, including these. Other transactions
 * of the account wait for this one, so that parallel requests cannot pass a limit together.
 */
export async function countRecords(trx: StoreTransaction, { accountId, computerId, now, records }: Added) {
  const today = { account_id: accountId, day: dayOf(now), records };
  const counts = await trx
    .insertInto('record_counts')
    .values([
      { ...today, computer_id: '' },
      { ...today, computer_id: computerId },
    ])
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'computer_id', 'day']).doUpdateSet(({ ref }) => ({
        records: sql<number>`${ref('record_counts.records')} + ${ref('excluded.records')}`,
      })),
    )
    .returning(['computer_id', 'records'])
    .execute();
  const of = (id: string) => counts.find(({ computer_id }) => computer_id === id)?.records ?? 0;
  return { ofAccount: of(''), ofComputer: of(computerId) };
}
