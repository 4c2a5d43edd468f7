import type { Store, StoreTransaction } from '../../store/database.ts';
import { type AlarmRule, defaultAlarmRules } from '../contract/alarm-rules.ts';
import type { Pause } from '../contract/pauses.ts';

/** What the owner of an account chose about its alarms, each as JSON. */
interface AlarmPlansTable {
  account_id: string;
  /** In the order in which they decide; null: the default rules. */
  rules: string | null;
  pauses: string;
  /** Null: none. */
  quiet: string | null;
}

declare module '../../store/database.ts' {
  interface Database {
    alarm_plans: AlarmPlansTable;
  }
}

/** Times of day between which messages wait, in the account's time zone. */
export interface QuietHours {
  readonly from: string;
  readonly until: string;
}

export interface AlarmPlan {
  readonly rules: readonly AlarmRule[];
  readonly pauses: readonly Pause[];
  readonly quiet: QuietHours | null;
}

const defaultPlan: AlarmPlan = { rules: defaultAlarmRules, pauses: [], quiet: null };

const planOf = ({ rules, pauses, quiet }: AlarmPlansTable): AlarmPlan => ({
  rules: rules === null ? defaultAlarmRules : (JSON.parse(rules) as AlarmRule[]),
  pauses: JSON.parse(pauses) as Pause[],
  quiet: quiet === null ? null : (JSON.parse(quiet) as QuietHours),
});

/** What the owner of an account chose about its alarms, or the defaults. */
export async function alarmPlanOf(store: Store, accountId: string): Promise<AlarmPlan> {
  return (await alarmPlansOf(store, [accountId]))(accountId);
}

/** Reads those of several accounts in one query. */
export async function alarmPlansOf(store: Store, accountIds: readonly string[]) {
  const rows =
    accountIds.length === 0
      ? []
      : await store.selectFrom('alarm_plans').selectAll().where('account_id', 'in', accountIds).execute();
  const plans = new Map(rows.map((row) => [row.account_id, planOf(row)]));
  return (accountId: string): AlarmPlan => plans.get(accountId) ?? defaultPlan;
}

/** Stores parts of what an owner chose. Lock the account's row before. */
export async function setAlarmPlan(trx: StoreTransaction, accountId: string, plan: Partial<AlarmPlan>): Promise<void> {
  const chosen = Object.fromEntries(
    Object.entries(plan).map(([part, value]) => [part, value === null ? null : JSON.stringify(value)]),
  );
  await trx
    .insertInto('alarm_plans')
    .values({ account_id: accountId, rules: null, pauses: '[]', quiet: null, ...chosen })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(chosen))
    .execute();
}

/** Returns an account to the defaults. */
export const forgetAlarmPlan = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('alarm_plans').where('account_id', '=', accountId).execute();
