import type { ReactNode } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { useOwnDraft } from '../../../browser/forms/own-draft.ts';
import { Text } from '../../../browser/language/text.tsx';
import { notifyOtherTabs } from '../../../browser/requests/account-changes.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { eachWarning, type Warning, warnings } from '../../../contract/computers/record-kinds.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { FormSaved } from '../../../ui/feedback/form-saved.tsx';
import { Checkbox } from '../../../ui/fields/checkbox.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { ButtonRow } from '../../account/layout/button-row.part.tsx';
import type { Alarms } from '../alarms.contract.ts';
import { QuietHours } from '../quiet-hours/quiet-hours.part.tsx';
import { choiceOf, DurationOptions, minutesOf } from './alarm-durations.part.tsx';
import css from './alarm-rules.module.css';

/** Labels of the fields whose messages do not name the field, for the summary of errors. */
const labels = { alarm_from: 'alarms.quiet_from', alarm_until: 'alarms.quiet_until' } as const;

const warningLabels = {
  disk_low: 'alarms.disk',
  battery_low: 'alarms.battery',
} as const satisfies Record<Warning, MessageId>;

interface AlarmRulesProps {
  readonly alarms: Alarms;
  readonly changed: (alarms: Alarms) => void;
  /** Beside the button that saves. */
  readonly children: ReactNode;
}

/** The rules for all devices of the account: what causes an alarm, and beside it how the owner learns of it. */
export function AlarmRules({ alarms, changed, children }: AlarmRulesProps) {
  const form = useForm({
    contract: () => import('../alarms.contract.ts'),
    schema: ({ rulesForm }) => rulesForm,
    initial: {
      alarm_silent: choiceOf(alarms.silent_after_minutes),
      ...eachWarning((kind) => alarms[kind]),
      alarm_email: alarms.email,
      alarm_quiet: alarms.quiet_hours !== null,
      alarm_from: alarms.quiet_hours?.from ?? '22:00',
      alarm_until: alarms.quiet_hours?.until ?? '07:00',
    },
    draft: useOwnDraft('alarms'),
    async send({ changeAlarms, quietHoursOf }, fields, signal) {
      const body = {
        silent_after_minutes: minutesOf(fields.alarm_silent),
        ...eachWarning((kind) => fields[kind]),
        email: fields.alarm_email,
        quiet_hours: quietHoursOf(fields),
      };
      changed(await sendRequest(changeAlarms, { body, signal }));
      notifyOtherTabs();
    },
  });
  const [email, quiet] = [form.field('alarm_email'), form.field('alarm_quiet')];
  return (
    <div className={css.rules}>
      <FormStack {...form.props}>
        <FormProblems form={form} labels={labels} />
        <div className={css.columns}>
          <div className={css.column}>
            <SelectField field={form.field('alarm_silent')} label="alarms.silent">
              <DurationOptions current={alarms.silent_after_minutes} />
            </SelectField>
            <div>
              {warnings.map((kind) => (
                <Checkbox key={kind} field={form.field(kind)} label={warningLabels[kind]} />
              ))}
            </div>
          </div>
          <div className={css.column}>
            <div>
              <Checkbox field={email} label="alarms.email">
                {!alarms.email_confirmed && <Text id="alarms.email_unconfirmed" />}
              </Checkbox>
              <div hidden={!email.value}>
                <Checkbox field={quiet} label="alarms.quiet" />
              </div>
            </div>
            <div hidden={!email.value || !quiet.value}>
              <QuietHours from={form.field('alarm_from')} until={form.field('alarm_until')} zone={alarms.time_zone} />
            </div>
          </div>
        </div>
        <FormSaved form={form} />
        <ButtonRow>
          <SubmitButton label="alarms.save" narrow busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
          {children}
        </ButtonRow>
      </FormStack>
    </div>
  );
}
