import { eachWarning, type Warning, warnings } from '../../contract/computers/record-kinds.ts';
import { days, hours, minutes } from '../../contract/durations.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** Stands for a silence that is never reported: the sum with a time is still a time. */
export const neverSilent = days(36_500);

/** As the API and the export say it; null stands for never. */
export const silenceInMinutes = (after: number): number | null => (after >= neverSilent ? null : after / minutes(1));

/** Stands for a mute without an end: the last time that JavaScript has. */
export const untilFurtherNotice = 8_640_000_000_000_000;

type Rules = Readonly<Record<Warning, 0 | 1>> & {
  /** Milliseconds without a heartbeat; `neverSilent` if the owner wants no such alarm. */
  readonly silent_after: number;
};

/** The owner's rules for all computers of the account; without a row, the defaults. */
export type AlarmRulesTable = Rules & {
  account_id: string;
  by_email: 0 | 1;
  /** Between these minutes of the day, in the account's time zone, emails wait; null: never. */
  quiet_from: number | null;
  quiet_until: number | null;
};

/** What differs for one computer: its own rules, or null for those of the account, and whether it is muted. */
export type AlarmOverridesTable = { readonly [Rule in keyof Rules]: Rules[Rule] | null } & {
  computer_id: string;
  account_id: string;
  /** Milliseconds since the epoch; 0 if it never was muted. */
  muted_until: number;
};

declare module '../database.ts' {
  interface Database {
    alarm_rules: AlarmRulesTable;
    alarm_overrides: AlarmOverridesTable;
  }
}

export type AlarmRules = Omit<AlarmRulesTable, 'account_id'>;
/** The rules that one computer may have for itself. */
export type OwnAlarmRules = Rules;

/** The columns of the rules in each of their tables. */
export const ruleColumns = ['silent_after', ...warnings] as const;

export const defaultAlarmRules: AlarmRules = {
  silent_after: hours(1),
  ...eachWarning(() => 1 as const),
  by_email: 0,
  quiet_from: null,
  quiet_until: null,
};

/** No rules of a computer’s own. */
export const noOwnRules = { silent_after: null, ...eachWarning(() => null) };

/** The account's rules, or the defaults. */
export const alarmRulesOf = async (store: Store, accountId: string): Promise<AlarmRules> =>
  (await store
    .selectFrom('alarm_rules')
    .select([...ruleColumns, 'by_email', 'quiet_from', 'quiet_until'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()) ?? defaultAlarmRules;

export const setAlarmRules = (trx: StoreTransaction, accountId: string, rules: AlarmRules) =>
  trx
    .insertInto('alarm_rules')
    .values({ account_id: accountId, ...rules })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(rules))
    .execute();

/** Returns an account to the defaults. Overrides go with their computers. */
export async function forgetAlarmRules(trx: StoreTransaction, accountId: string): Promise<void> {
  await trx.deleteFrom('alarm_rules').where('account_id', '=', accountId).execute();
  await trx.deleteFrom('alarm_tag_rules').where('account_id', '=', accountId).execute();
}

/** Stores what differs for one computer. The caller checks that the account has this computer. */
export const setAlarmOverride = (trx: StoreTransaction, { computer_id, account_id, ...own }: AlarmOverridesTable) =>
  trx
    .insertInto('alarm_overrides')
    .values({ computer_id, account_id, ...own })
    .onConflict((conflict) => conflict.column('computer_id').doUpdateSet(own))
    .execute();

/** What differs for computers of an account; computers without a row have the rules of the account. */
export const alarmOverridesOf = (store: Store, accountId: string): Promise<AlarmOverridesTable[]> =>
  store.selectFrom('alarm_overrides').selectAll().where('account_id', '=', accountId).orderBy('computer_id').execute();

/** What differs for one computer. */
export const alarmOverrideOf = (store: Store, computerId: string) =>
  store
    .selectFrom('alarm_overrides')
    .select([...ruleColumns, 'muted_until'])
    .where('computer_id', '=', computerId)
    .executeTakeFirst();
