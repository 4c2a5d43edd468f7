import { type RawBuilder, sql } from 'kysely';
import { days, hours, minutes } from '../../contract/units.ts';
import { engineOf, type Store, type StoreTransaction } from '../../store/database.ts';
import { eachWarning, type Warning, warnings } from '../contract/record-kinds.ts';

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
type AlarmRulesTable = Rules & {
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

declare module '../../store/database.ts' {
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
  by_email: 1,
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
  await trx.deleteFrom('alarm_plans').where('account_id', '=', accountId).execute();
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

/** The owner's rules for the computers with a tag. */
type AlarmTagRulesTable = OwnAlarmRules & {
  account_id: string;
  /** The tag as JSON, so that SQL finds it in `computers.tags`. */
  tag_json: string;
};

declare module '../../store/database.ts' {
  interface Database {
    alarm_tag_rules: AlarmTagRulesTable;
  }
}

type AlarmTagRule = OwnAlarmRules & { readonly tag: string };

/** The rules of an account's tags, in the order of the tags. */
export async function alarmTagRulesOf(store: Store, accountId: string): Promise<AlarmTagRule[]> {
  const rows = await store
    .selectFrom('alarm_tag_rules')
    .select(['tag_json', ...ruleColumns])
    .where('account_id', '=', accountId)
    .orderBy('tag_json')
    .execute();
  return rows.map(({ tag_json, ...rules }) => ({ tag: JSON.parse(tag_json) as string, ...rules }));
}

interface TagRuleChange {
  readonly accountId: string;
  readonly tag: string;
  readonly rules: OwnAlarmRules;
}

export const setAlarmTagRule = (trx: StoreTransaction, { accountId, tag, rules }: TagRuleChange) =>
  trx
    .insertInto('alarm_tag_rules')
    .values({ account_id: accountId, tag_json: JSON.stringify(tag), ...rules })
    .onConflict((conflict) => conflict.columns(['account_id', 'tag_json']).doUpdateSet(rules))
    .execute();

export const forgetAlarmTagRule = (trx: StoreTransaction, { accountId, tag }: Omit<TagRuleChange, 'rules'>) =>
  trx
    .deleteFrom('alarm_tag_rules')
    .where('account_id', '=', accountId)
    .where('tag_json', '=', JSON.stringify(tag))
    .execute();

type RuleName = keyof OwnAlarmRules;

/** If several tags of a computer have rules, the strictest counts. */
const strictest = { silent_after: sql`min`, ...eachWarning(() => sql`max`) };

/** The position of one text in another. */
const positions = { sqlite: sql`instr`, postgres: sql`strpos` };

/**
 * The rule that applies to a row of `computers`: its own, or those of its tags, or the account's; null for the default.
 * Subqueries instead of joins: each is one look-up in an index, however many computers there are.
 */
export function appliedRule(store: Store, name: RuleName): RawBuilder<number | null> {
  const column = sql.ref(name);
  // A tag contains no comma, so a comma and a quotation mark always begin the next tag.
  const isTagged = sql`${positions[engineOf(store)]}(',' || substr(computers.tags, 2), ',' || alarm_tag_rules.tag_json) > 0`;
  // A smartphone sleeps most of the time: only a rule of its own reports its silence.
  const asleep =
    name === 'silent_after' ? sql`case when computers.kind = 'smartphone' then ${neverSilent} end` : sql`null`;
  return sql<number | null>`coalesce(
    (select ${column} from alarm_overrides where computer_id = computers.id),
    cast(${asleep} as bigint),
    (select ${strictest[name]}(${column}) from alarm_tag_rules
      where alarm_tag_rules.account_id = computers.account_id and ${isTagged}),
    (select ${column} from alarm_rules where alarm_rules.account_id = computers.account_id))`;
}

/** How long each computer of an account may be silent (ms), by its id. */
export async function silencesOf(store: Store, accountId: string): Promise<Map<string, number>> {
  const rows = await store
    .selectFrom('computers')
    .select(['id', appliedRule(store, 'silent_after').as('silent_after')])
    .where('account_id', '=', accountId)
    .execute();
  return new Map(rows.map(({ id, silent_after: after }) => [id, after ?? defaultAlarmRules.silent_after]));
}
