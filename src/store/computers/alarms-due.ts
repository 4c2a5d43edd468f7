import { sql } from 'kysely';
import type { StoreTransaction } from '../database.ts';

/**
 * Makes a computer's alarms due. Each use stores another value, so that an evaluation that has already read the row does
 * not overwrite it (`rescheduleAlarms`).
 */
export const dueNow = sql<number>`case when alarm_check_at > 0 then 0 else alarm_check_at - 1 end`;

/** Makes the alarms of all computers of an account due, after a change of its rules. */
export const makeAlarmsOfAccountDue = (trx: StoreTransaction, accountId: string) =>
  trx.updateTable('computers').set({ alarm_check_at: dueNow }).where('account_id', '=', accountId).execute();

/** Makes the alarms of one computer due. */
export const makeAlarmsDue = (trx: StoreTransaction, id: string) =>
  trx.updateTable('computers').set({ alarm_check_at: dueNow }).where('id', '=', id).execute();

interface KnownSilence {
  readonly accountId: string;
  /** Only this computer; otherwise all that have no rule of their own. */
  readonly id?: string;
  /** Computers without a signal since then (ms since the epoch). */
  readonly before: number;
}

/** Treats silent computers as reported: an alarm that the owner turns on is about silences from then on. */
export const markSilenceAsReported = (trx: StoreTransaction, { accountId, id, before }: KnownSilence) =>
  trx
    .updateTable('computers')
    .set((row) => ({ alarm_silent_at: row.ref('last_seen_at') }))
    .where('account_id', '=', accountId)
    .where('last_seen_at', '<=', before)
    .$if(id !== undefined, (rows) => rows.where('id', '=', id ?? ''))
    .$if(id === undefined, (rows) =>
      rows.where('id', 'not in', (own) =>
        own
          .selectFrom('alarm_overrides')
          .select('computer_id')
          .where('account_id', '=', accountId)
          .where('silent_after', 'is not', null),
      ),
    )
    .execute();
