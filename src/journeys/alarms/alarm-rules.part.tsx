import { useForm } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { FormStack } from '../../ui/layouts/stack.tsx';
import { choiceOf, DurationOptions, minutesOf } from './alarm-durations.part.tsx';
import type { Alarms } from './alarms.contract.ts';

/** The rules for all devices of the account. */
export function AlarmRules({ alarms, changed }: { alarms: Alarms; changed: (alarms: Alarms) => void }) {
  const form = useForm({
    contract: () => import('./alarms.contract.ts'),
    schema: ({ rulesForm }) => rulesForm,
    initial: {
      alarm_silent: choiceOf(alarms.silent_after_minutes),
      alarm_disk: alarms.disk_low,
      alarm_battery: alarms.battery_low,
      alarm_email: alarms.email,
    },
    async send({ changeAlarms }, { alarm_silent, alarm_disk, alarm_battery, alarm_email }, signal) {
      const body = {
        silent_after_minutes: minutesOf(alarm_silent),
        disk_low: alarm_disk,
        battery_low: alarm_battery,
        email: alarm_email,
      };
      changed(await sendRequest(changeAlarms, { body, signal }));
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      <SelectField field={form.field('alarm_silent')} label="alarms.silent">
        <DurationOptions current={alarms.silent_after_minutes} />
      </SelectField>
      <Checkbox field={form.field('alarm_disk')} label="alarms.disk" />
      <Checkbox field={form.field('alarm_battery')} label="alarms.battery" />
      <Checkbox field={form.field('alarm_email')} label="alarms.email">
        {!alarms.email_confirmed && <Text id="alarms.email_unconfirmed" />}
      </Checkbox>
      {form.request.state === 'success' && (
        <Notice kind="success" role="status">
          <Text id="account.saved" />
        </Notice>
      )}
      <SubmitButton label="alarms.save" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
    </FormStack>
  );
}
