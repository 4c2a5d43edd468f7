import { type RawBuilder, sql } from 'kysely';
import { eachWarning } from '../../contract/computers/record-kinds.ts';
import { engineOf, type Store } from '../database.ts';
import { defaultAlarmRules, type OwnAlarmRules } from './alarm-rules.ts';

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
  return sql<number | null>`coalesce(
    (select ${column} from alarm_overrides where computer_id = computers.id),
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
