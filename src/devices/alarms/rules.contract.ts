import * as z from 'zod/mini';
import { endpoint, ownId, type ResponseBody } from '../../contract/endpoint.ts';
import { alarmChannels } from '../contract/alarm-channels.ts';
import { type AlarmKind, aboutOf, type EventName } from '../contract/alarm-kinds.ts';
import {
  alarmRule,
  type Condition,
  type ConditionOf,
  type NewAlarmRule,
  newAlarmRule,
  shape,
} from '../contract/alarm-rules.ts';

const rules = z.object({
  /** In the order in which they decide. */
  rules: z.array(alarmRule),
});

export const addAlarmRule = endpoint({
  route: 'POST /account/alarms/rules',
  summary: 'Add an alarm rule before the others, also for what is wrong already',
  auth: 'bearer',
  body: newAlarmRule,
  status: 201,
  response: rules,
  failures: ['too_many_requests', 'alarm_limit_reached'],
});

export type AlarmRules = ResponseBody<typeof addAlarmRule>['rules'];

export const changeAlarmRule = endpoint({
  route: 'PUT /account/alarms/rules/:id',
  summary: 'Change an alarm rule, also for what is wrong already',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  body: newAlarmRule,
  status: 200,
  response: rules,
  failures: ['not_found', 'too_many_requests'],
});

export const removeAlarmRule = endpoint({
  route: 'DELETE /account/alarms/rules/:id',
  summary: 'Remove an alarm rule',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 200,
  response: rules,
  failures: ['not_found', 'too_many_requests'],
});

export const orderAlarmRules = endpoint({
  route: 'PUT /account/alarms/rules',
  summary: 'Set the order of the alarm rules: the first that matches a device decides',
  auth: 'bearer',
  /** Ids; rules that it lacks follow in their former order. */
  body: z.object({ order: z.array(ownId, { error: 'not_understood' }) }),
  status: 200,
  response: rules,
  failures: ['too_many_requests'],
});

export const previewAlarmRule = endpoint({
  route: 'POST /account/alarms/rules/preview',
  summary: 'Read which alarms a rule would have caused in the last 30 days',
  auth: 'bearer',
  /** With the id of the rule that it would replace; otherwise it would come first. */
  body: z.extend(newAlarmRule, { id: z.optional(ownId) }),
  status: 200,
  response: z.object({
    count: z.number(),
    complete: z.boolean(),
    newest: z.array(z.object({ at: z.string(), computer: z.string(), name: z.string() })),
  }),
  failures: ['too_many_requests'],
});

export type Preview = ResponseBody<typeof previewAlarmRule>;

/** What the page’s form calls the condition, channels and reminders of a rule. */
interface TypedRule {
  readonly rule_what: string;
  readonly rule_silent: string;
  readonly rule_limit: string;
  readonly rule_for: string;
  readonly rule_kind: string;
  readonly rule_text: string;
  readonly rule_by: string;
  readonly rule_end: boolean;
  readonly rule_remind: string;
}

type TypedChannels = Readonly<Record<`by_${(typeof alarmChannels)[number]}`, boolean>>;

const typedChannels = <T>(value: (name: (typeof alarmChannels)[number]) => T) =>
  Object.fromEntries(alarmChannels.map((name) => [`by_${name}`, value(name)])) as Readonly<
    Record<keyof TypedChannels, T>
  >;

/** The conditions of events, as the form says them. */
const conditions: { readonly [Event in EventName]: (typed: TypedRule) => ConditionOf<Event> } = {
  silent: ({ rule_silent }) => ({ event: 'silent', after_minutes: Number(rule_silent) }),
  stopped: () => ({ event: 'stopped' }),
  record: ({ rule_kind, rule_text }) => ({ event: 'record', kind: rule_kind.trim(), text: rule_text.trim() }),
};

function conditionOf(typed: TypedRule): Condition {
  const about = aboutOf(typed.rule_what as AlarmKind);
  if (about.event !== 'value') return conditions[about.event](typed);
  return { ...about, limit: Number(typed.rule_limit || Number.NaN), for_minutes: Number(typed.rule_for) };
}

/** The rule of a form, without its scope. */
export const ruleOf = (typed: TypedRule & TypedChannels): Omit<NewAlarmRule, 'tags' | 'computers'> => ({
  when: conditionOf(typed),
  by: typed.rule_by as NewAlarmRule['by'],
  channels: alarmChannels.filter((name) => typed[`by_${name}`]),
  at_end: typed.rule_end,
  remind_hours: typed.rule_remind === '' ? null : Number(typed.rule_remind),
});

const fieldOf: Readonly<Record<string, string>> = { limit: 'rule_limit', text: 'rule_text', kind: 'rule_kind' };

/** The page’s form of a rule. */
export const ruleForm = z
  .object({
    ...{ rule_what: z.string(), rule_silent: z.string(), rule_limit: z.string(), rule_for: z.string() },
    ...{ rule_kind: z.string(), rule_text: z.string(), rule_by: z.string(), rule_end: z.boolean() },
    rule_remind: z.string(),
    ...typedChannels(() => z.boolean()),
  })
  .check((typed) => {
    const { error } = shape.when.safeParse(conditionOf(typed.value));
    for (const { path, message } of error?.issues ?? []) {
      const field = fieldOf[String(path.at(-1))] ?? 'rule_what';
      typed.issues.push({ code: 'custom', input: typed.value, path: [field], message });
    }
  });
