import type { Store, StoreTransaction } from '../database.ts';
import { type OwnAlarmRules, ruleColumns } from './alarm-rules.ts';

/** The owner's rules for the computers with a tag. */
export type AlarmTagRulesTable = OwnAlarmRules & {
  account_id: string;
  /** The tag as JSON, so that SQL finds it in `computers.tags`. */
  tag_json: string;
};

declare module '../database.ts' {
  interface Database {
    alarm_tag_rules: AlarmTagRulesTable;
  }
}

export type AlarmTagRule = OwnAlarmRules & { readonly tag: string };

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
