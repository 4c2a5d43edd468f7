import { useState } from 'react';
import { type Form, useForm } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyOtherTabs } from '../../browser/requests/session.ts';
import { ButtonRow, FormButtons } from '../../journeys/account/layout/rows.part.tsx';
import { Button } from '../../ui/button.tsx';
import { Failed } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Checkbox, SelectField } from '../../ui/fields/choice-fields.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { FormStack } from '../../ui/layouts/card.tsx';
import { type AlarmChannelName, alarmChannels, channelFacts } from '../contract/alarm-channels.ts';
import { type AlarmKind, aboutOf, alarmKinds, type EventName, isMoment, valueNames } from '../contract/alarm-kinds.ts';
import { type AlarmRule, kindOf } from '../contract/alarm-rules.ts';
import type { Scope } from '../contract/pauses.ts';
import type { Alarms } from './alarms.contract.ts';
import css from './rule-form.module.css';
import { useRuleDurations } from './rule-words.part.tsx';
import type { AlarmRules, Preview } from './rules.contract.ts';
import { ScopeField } from './scope.part.tsx';

interface RuleFormProps {
  readonly alarms: Alarms;
  /** Undefined: a new one. */
  readonly rule?: AlarmRule;
  readonly changed: (next: { readonly rules: AlarmRules }) => void;
  readonly close: () => void;
}

/** Minutes that the lists offer; the API accepts any in between. */
const silences = [5, 10, 15, 30, 60, 180, 360, 720, 1440, 2880];
const excesses = [0, 5, 10, 15, 30, 60];
/** Hours. */
const reminders = [1, 3, 6, 12, 24];

/** Labels of the fields whose messages do not name the field, for the summary of errors. */
const labels = { rule_limit: 'rules.limit', rule_text: 'rules.text', rule_kind: 'dashboard.filter_kind' } as const;

const typedChannels = (rule: AlarmRule | undefined) =>
  Object.fromEntries(alarmChannels.map((name) => [`by_${name}`, rule?.channels.includes(name) ?? false])) as Record<
    `by_${AlarmChannelName}`,
    boolean
  >;

/** What a form shows of a rule, or of a new one. */
function typedOf(rule: AlarmRule | undefined) {
  const {
    when = { event: 'silent' as const, after_minutes: 10 },
    by = 'all',
    at_end = true,
    remind_hours = null,
  } = rule ?? {};
  return {
    rule_what: kindOf({ when }) as string,
    rule_silent: String(when.event === 'silent' ? when.after_minutes : 60),
    rule_limit: when.event === 'value' ? String(when.limit) : '',
    rule_for: String(when.event === 'value' ? when.for_minutes : 0),
    rule_kind: when.event === 'record' ? when.kind : '',
    rule_text: when.event === 'record' ? when.text : '',
    rule_by: by as string,
    rule_end: at_end,
    rule_remind: remind_hours === null ? '' : String(remind_hours),
    ...typedChannels(rule),
  };
}

/** The form of a rule, which shows before it is saved what the rule would have reported. */
export function RuleForm({ alarms, rule, changed, close }: RuleFormProps) {
  const [scope, choose] = useState<Scope>({ tags: rule?.tags ?? [], computers: rule?.computers ?? [] });
  const [found, setFound] = useState<Preview>();
  const typed = typedOf(rule);
  const scopeOf = () => ({ tags: [...scope.tags], computers: [...scope.computers] });
  const form = useForm({
    contract: () => import('./rules.contract.ts'),
    schema: ({ ruleForm }) => ruleForm,
    initial: typed,
    async send({ addAlarmRule: add, changeAlarmRule: change, ruleOf }, fields, signal) {
      const body = { ...scopeOf(), ...ruleOf(fields) };
      changed(
        rule
          ? await sendRequest(change, { params: { id: rule.id }, body, signal })
          : await sendRequest(add, { body, signal }),
      );
      notifyOtherTabs();
      close();
    },
  });
  const previewing = useRequest(async (signal) => {
    const { ruleForm, ruleOf, previewAlarmRule } = await import('./rules.contract.ts');
    const names = Object.keys(typed) as (keyof typeof typed)[];
    const fields = ruleForm.safeParse(Object.fromEntries(names.map((name) => [name, form.field(name).value])));
    // Its own messages say what is missing, and nothing is sent.
    if (!fields.success) return form.props.ref.current?.requestSubmit();
    const body = { ...scopeOf(), ...ruleOf(fields.data), ...(rule && { id: rule.id }) };
    setFound(await sendRequest(previewAlarmRule, { body, signal }));
  });
  const by = form.field('rule_by');
  const kind = form.field('rule_what').value as AlarmKind;
  return (
    // A change of the rule makes the preview untrue.
    <div className={css.form} onChange={() => setFound(undefined)}>
      <FormStack {...form.props}>
        <FormProblems form={form} labels={labels} />
        <ScopeField scope={scope} devices={alarms.computers} choose={choose} />
        <ConditionFields form={form} kind={kind} />
        <SelectField field={by} label="rules.by">
          <Options of={{ all: 'rules.by_all', chosen: 'rules.by_chosen', none: 'alarms.never' }} />
        </SelectField>
        <div hidden={by.value !== 'chosen'}>
          {alarmChannels.map((name) => (
            <div key={name} hidden={!alarms.channels.includes(name) && !rule?.channels.includes(name)}>
              <Checkbox field={form.field(`by_${name}`)} label={channelFacts[name].words} />
            </div>
          ))}
        </div>
        <div hidden={by.value === 'none' || isMoment(kind)}>
          <Checkbox field={form.field('rule_end')} label="rules.at_end" />
        </div>
        <div hidden={by.value === 'none'}>
          <RemindField form={form} />
        </div>
        <ButtonRow>
          <Button
            label="rules.preview"
            quiet
            narrow
            busy={previewing.state === 'pending' ? 'form.wait' : undefined}
            retry={() => previewing.restart()}
            onClick={() => void previewing.start()}
          />
        </ButtonRow>
        <div role="status">{found && <Found preview={found} />}</div>
        <Failed failure={previewing.error} />
        <FormButtons form={form} label="account.save" cancel={close} />
      </FormStack>
    </div>
  );
}

type RuleFields = Form<ReturnType<typeof typedOf>>;

function Options({ of }: { of: Readonly<Record<string, Parameters<ReturnType<typeof useText>>[0]>> }) {
  const t = useText();
  return Object.entries(of).map(([value, label]) => (
    <option key={value} value={value}>
      {t(label)}
    </option>
  ));
}

/** What causes the alarm; fields that are not about it are hidden. */
function ConditionFields({ form, kind }: { form: RuleFields; kind: AlarmKind }) {
  const t = useText();
  const inWords = useRuleDurations();
  const silent = Number(form.field('rule_silent').value);
  const { event } = aboutOf(kind);
  const isValue = event === 'value';
  const events: Readonly<Record<EventName, string>> = {
    silent: t('rules.silent', { duration: '…' }),
    stopped: t('rules.stopped'),
    record: t('rules.record', { what: '…' }),
  };
  const words = (one: AlarmKind): string => {
    const about = aboutOf(one);
    if (about.event !== 'value') return events[about.event];
    const values = { value: t(valueNames[about.value]), limit: '…' };
    return t(about.is === 'below' ? 'rules.below' : 'rules.above', values);
  };
  const durations = (offered: readonly number[], current: number) =>
    [...new Set([...offered, current])]
      .sort((one, other) => one - other)
      .map((minutes) => (
        <option key={minutes} value={minutes}>
          {minutes === 0 ? t('rules.at_once') : inWords(minutes)}
        </option>
      ));
  return (
    <>
      <SelectField field={form.field('rule_what')} label="rules.what">
        {alarmKinds.map((one) => (
          <option key={one} value={one}>
            {words(one)}
          </option>
        ))}
      </SelectField>
      <div hidden={event !== 'silent'}>
        <SelectField field={form.field('rule_silent')} label="rules.duration">
          {durations(silences, silent)}
        </SelectField>
      </div>
      <div hidden={!isValue}>
        <TextField
          field={form.field('rule_limit')}
          label="rules.limit"
          inputMode="numeric"
          autoComplete="off"
          dir="ltr"
        />
      </div>
      <div hidden={!isValue}>
        <SelectField field={form.field('rule_for')} label="rules.duration">
          {durations(excesses, Number(form.field('rule_for').value))}
        </SelectField>
      </div>
      <div hidden={event !== 'record'}>
        <TextField
          field={form.field('rule_kind')}
          label="dashboard.filter_kind"
          optional
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div hidden={event !== 'record'}>
        <TextField field={form.field('rule_text')} label="rules.text" autoComplete="off" />
      </div>
    </>
  );
}

function RemindField({ form }: { form: RuleFields }) {
  const t = useText();
  const inWords = useRuleDurations();
  const current = Number(form.field('rule_remind').value);
  const all = [...new Set([...reminders, ...(current > 0 ? [current] : [])])].sort((one, other) => one - other);
  return (
    <SelectField field={form.field('rule_remind')} label="rules.remind">
      <option value="">{t('rules.remind_never')}</option>
      {all.map((count) => (
        <option key={count} value={count}>
          {t('rules.reminds', { duration: inWords(count * 60) })}
        </option>
      ))}
    </SelectField>
  );
}

/** What the rule would have reported: how often, and the newest with their devices. */
function Found({ preview: { count, complete, newest } }: { preview: Preview }) {
  const { brief } = useTimes();
  return (
    <div className={css.found}>
      <p>
        <strong>
          <Text id={complete ? 'rules.found' : 'rules.found_about'} values={{ count: String(count) }} />
        </strong>
      </p>
      <ul>
        {newest.map(({ at, computer, name }) => (
          <li key={`${at} ${computer}`}>
            <time dateTime={at}>{brief(at)}</time>
            {' · '}
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
