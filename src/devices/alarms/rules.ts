import { randomUUID } from 'node:crypto';
import type { BodyRead } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/failures.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { type AlarmRule, maxRules, type NewAlarmRule } from '../contract/alarm-rules.ts';
import { alarmPlanOf, setAlarmPlan } from '../store/alarm-plans.ts';
import { makeAlarmsOfAccountDue } from '../store/alarms-due.ts';
import { applyRules } from '../store/incidents.ts';
import * as contract from './rules.contract.ts';

interface RuleList {
  readonly rules: AlarmRule[];
}

/** Without channels that count for nothing. */
const asStored = (id: string, rule: NewAlarmRule): AlarmRule => ({
  ...rule,
  id,
  channels: rule.by === 'chosen' ? [...new Set(rule.channels)] : [],
});

/** Adds a rule before the others, so that it counts, and returns all of them. */
export async function addAlarmRule(
  trx: StoreTransaction,
  owner: Owner,
  { body }: { readonly body: NewAlarmRule },
): Promise<RuleList> {
  const { rules } = await alarmPlanOf(trx, owner.accountId);
  if (rules.length >= maxRules) throw refuse(contract.addAlarmRule, 'alarm_limit_reached', { limit: maxRules });
  return keepRules(trx, owner, [asStored(randomUUID(), body), ...rules]);
}

interface RuleChange {
  readonly params: { readonly id: string };
  readonly body: NewAlarmRule;
}

/** Changes a rule in its place, and returns all of them. */
export async function changeAlarmRule(
  trx: StoreTransaction,
  owner: Owner,
  { params: { id }, body }: RuleChange,
): Promise<RuleList> {
  const { rules } = await alarmPlanOf(trx, owner.accountId);
  if (!rules.some((rule) => rule.id === id)) throw refuse(contract.changeAlarmRule, 'not_found');
  return keepRules(
    trx,
    owner,
    rules.map((rule) => (rule.id === id ? asStored(id, body) : rule)),
  );
}

/** Removes a rule, and returns the others. */
export async function removeAlarmRule(
  trx: StoreTransaction,
  owner: Owner,
  { params: { id } }: Pick<RuleChange, 'params'>,
): Promise<RuleList> {
  const { rules } = await alarmPlanOf(trx, owner.accountId);
  if (!rules.some((rule) => rule.id === id)) throw refuse(contract.removeAlarmRule, 'not_found');
  return keepRules(
    trx,
    owner,
    rules.filter((rule) => rule.id !== id),
  );
}

/** Orders the rules. One that another tab has added meanwhile stays, and one that it has removed is none anymore. */
export async function orderAlarmRules(
  trx: StoreTransaction,
  owner: Owner,
  { body: { order } }: { readonly body: BodyRead<typeof contract.orderAlarmRules> },
): Promise<RuleList> {
  const { rules } = await alarmPlanOf(trx, owner.accountId);
  const places = new Map(order.map((id, place) => [id, place]));
  const placeOf = ({ id }: AlarmRule) => places.get(id) ?? order.length;
  return keepRules(
    trx,
    owner,
    rules.toSorted((one, other) => placeOf(one) - placeOf(other)),
  );
}

async function keepRules(trx: StoreTransaction, { accountId, at }: Owner, rules: AlarmRule[]): Promise<RuleList> {
  await setAlarmPlan(trx, accountId, { rules });
  await applyRules(trx, { accountId, at });
  await makeAlarmsOfAccountDue(trx, accountId);
  return { rules };
}
