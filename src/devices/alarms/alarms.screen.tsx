import { type ReactNode, startTransition, useEffect, useState } from 'react';
import { useOwnDraft } from '../../browser/forms/draft.ts';
import { type FormField, useForm } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { notifyOtherTabs, useAccountChanges } from '../../browser/requests/account-changes.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { ButtonRow } from '../../journeys/account/layout/rows.part.tsx';
import { Section } from '../../journeys/account/layout/section.part.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Button, SubmitButton } from '../../ui/button.tsx';
import { Failed, FormSaved, Notice, Overdue } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Checkbox, SelectField } from '../../ui/fields/choice-fields.tsx';
import { Field, Input, inputProps } from '../../ui/fields/field.tsx';
import { Card, FormStack } from '../../ui/layouts/card.tsx';
import { eachWarning, type Warning, warnings } from '../contract/record-kinds.ts';
import { DeviceExceptions, TagExceptions } from './alarm-exceptions.part.tsx';
import { type Alarms, readAlarms } from './alarms.contract.ts';
import css from './alarms.module.css';
import { Channels } from './channels/channels.part.tsx';
import { choiceOf, DurationOptions, minutesOf } from './device-alarms.part.tsx';
import { Pauses } from './pauses.part.tsx';

/** The page where owners choose their alarms. */
export default function AlarmsPage() {
  return <Section title="account_alarms.page">{() => <AlarmSettings />}</Section>;
}

/** Rules for all devices, a test, and exceptions for tags and single devices. Reads its own data. */
function AlarmSettings() {
  const [alarms, setAlarms] = useState<Alarms>();
  const reading = useRequest(async (signal) => {
    const read = await sendRequest(readAlarms, { signal });
    // A transition renders the names of all devices in short tasks.
    startTransition(() => setAlarms(read));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the section appears
  useEffect(() => void reading.start(), []);
  // A form sends all of its fields: without this, it would undo what another tab has saved.
  useAccountChanges(reading.restart, reading.start);
  /** Only what a response contains changes, since another one may have arrived first. */
  const change = (next: (known: Alarms) => Partial<Alarms>) =>
    setAlarms((known) => known && { ...known, ...next(known) });
  const changePauses = ({ pauses }: Pick<Alarms, 'pauses'>) => {
    change(() => ({ pauses }));
    // An offer that was accepted is none anymore.
    void reading.start();
  };
  return (
    <>
      <Card>
        <p>
          <Text id="alarms.lead" />
        </p>
        {alarms && (
          <AlarmRules alarms={alarms} changed={setAlarms}>
            <TestAlarm />
          </AlarmRules>
        )}
        {reading.error && (
          <>
            <Failed failure={reading.error} />
            <Button label="form.retry" quiet narrow onClick={() => void reading.start()} />
          </>
        )}
        <Overdue waiting={reading.state === 'pending'} retry={reading.restart} />
      </Card>
      {alarms && <Channels />}
      {alarms && <Pauses alarms={alarms} changed={changePauses} />}
      {alarms && <TagExceptions alarms={alarms} changed={(tags) => change(() => ({ tags }))} />}
      {alarms && alarms.computers.length > 0 && (
        <DeviceExceptions
          alarms={alarms}
          changed={(device) =>
            change(({ computers }) => ({ computers: computers.map((one) => (one.id === device.id ? device : one)) }))
          }
        />
      )}
    </>
  );
}

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
function AlarmRules({ alarms, changed, children }: AlarmRulesProps) {
  const form = useForm({
    contract: () => import('./alarms.contract.ts'),
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

interface QuietHoursProps {
  readonly from: FormField<string>;
  readonly until: FormField<string>;
  /** IANA name. */
  readonly zone: string;
}

/** Two fields for the hours in which emails wait. */
const QuietHours = ({ from, until, zone }: QuietHoursProps) => (
  <div className={css.hours}>
    <div className={css.times}>
      <TimeField field={from} label="alarms.quiet_from" />
      <TimeField field={until} label="alarms.quiet_until" />
    </div>
    <p className={css.hint}>
      <Text id="alarms.quiet_hint" values={{ zone }} dir="auto" />
    </p>
  </div>
);

const TimeField = ({ field, label }: { field: FormField<string>; label: MessageId }) => (
  <Field field={field} label={label}>
    <Input type="time" {...inputProps(field)} />
  </Field>
);

/** A button that sends a test alarm, for a row of buttons; the outcome follows below them. */
function TestAlarm() {
  const [byEmail, setByEmail] = useState(false);
  const testing = useRequest(async (signal) => {
    const { testAlarm } = await import('./alarms.contract.ts');
    setByEmail((await sendRequest(testAlarm, { signal })).email);
  });
  return (
    <>
      <Button
        label="alarms.test"
        quiet
        narrow
        busy={testing.state === 'pending' ? 'form.wait' : undefined}
        retry={testing.restart}
        onClick={() => void testing.start()}
      />
      {testing.state === 'success' && (
        <div className={css.news}>
          <Notice kind="success" role="status">
            <Text id={byEmail ? 'alarms.tested_email' : 'alarms.tested'} />
          </Notice>
        </div>
      )}
      {testing.error && (
        <div className={css.news}>
          <Failed failure={testing.error} />
        </div>
      )}
    </>
  );
}
