import { sql } from 'kysely';
import type { StoreTransaction } from '../../store/database.ts';

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

/** Stands for a mute without an end: the last time that JavaScript has. */
export const untilFurtherNotice = 8_640_000_000_000_000;

/** Mutes a computer until then (ms since the epoch); 0 ends a mute. */
export const muteComputer = (trx: StoreTransaction, { id, until }: { readonly id: string; readonly until: number }) =>
  trx.updateTable('computers').set({ muted_until: until, alarm_check_at: dueNow }).where('id', '=', id).execute();
