import { sql } from 'kysely';
import type { StoreTransaction } from '../../store/database.ts';
import { neverSilent, silencesOf } from './alarm-rules.ts';

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

interface RuleChange {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Changes rules or tags of an account. An alarm that this turns on applies to later silences, so silent computers
 * count as reported.
 */
export async function changeAlarmRules<Changed>(
  trx: StoreTransaction,
  { accountId, now }: RuleChange,
  change: () => Promise<Changed>,
): Promise<Changed> {
  const former = await silencesOf(trx, accountId);
  const changed = await change();
  const turnedOn = [...(await silencesOf(trx, accountId))].filter(
    ([id, after]) => (former.get(id) ?? 0) >= neverSilent && after < neverSilent,
  );
  for (const [after, rows] of Map.groupBy(turnedOn, ([, after]) => after)) {
    await markSilenceAsReported(trx, { ids: rows.map(([id]) => id), before: now - after });
  }
  return changed;
}

/** Treats computers without a signal since `before` (ms since the epoch) as reported. */
export async function markSilenceAsReported(
  trx: StoreTransaction,
  { ids, before }: { ids: readonly string[]; before: number },
): Promise<void> {
  for (let at = 0; at < ids.length; at += batchSize)
    await trx
      .updateTable('computers')
      .set((row) => ({ alarm_silent_at: row.ref('last_seen_at') }))
      .where('id', 'in', ids.slice(at, at + batchSize))
      .where('last_seen_at', '<=', before)
      .execute();
}

/** Below the number of parameters that both engines allow. */
const batchSize = 500;
