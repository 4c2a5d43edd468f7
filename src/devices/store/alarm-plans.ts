import type { Store, StoreTransaction } from '../../store/database.ts';
import type { Pause } from '../contract/pauses.ts';

/** What the owner of an account chose about its alarms, each as JSON. */
interface AlarmPlansTable {
  account_id: string;
  /** Null: the default rules. */
  rules: string | null;
  pauses: string;
}

declare module '../../store/database.ts' {
  interface Database {
    alarm_plans: AlarmPlansTable;
  }
}

export interface AlarmPlan {
  readonly pauses: readonly Pause[];
}

const defaultPlan: AlarmPlan = { pauses: [] };

const planOf = ({ pauses }: Pick<AlarmPlansTable, 'pauses'>): AlarmPlan => ({ pauses: JSON.parse(pauses) as Pause[] });

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

export async function setPauses(trx: StoreTransaction, accountId: string, list: readonly Pause[]): Promise<void> {
  const pauses = JSON.stringify(list);
  await trx
    .insertInto('alarm_plans')
    .values({ account_id: accountId, rules: null, pauses })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ pauses }))
    .execute();
}
