import { useRef } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { Button, SubmitButton } from '../../ui/button.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { FormSaved } from '../../ui/feedback/form-saved.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { FormStack } from '../../ui/layouts/stack.tsx';
import { asTheAccount, choiceOf, DurationOptions, minutesOf } from './alarm-durations.part.tsx';
import type { Alarms } from './alarms.contract.ts';
import css from './device-alarms.module.css';

type Device = Alarms['computers'][number];

const aDay = 24 * 60;

/** Whether the device is muted, and until when; empty if it is not. */
export function Muted({ device: { muted, muted_until: until } }: { device: Device }) {
  const { when } = useTimes();
  if (!muted) return null;
  if (until === null) return <Text id="alarms.muted" />;
  return <Text id="alarms.muted_until" values={{ when: when(until) }} dir="auto" />;
}

interface DeviceAlarmsProps {
  /** The rules of the account. */
  alarms: Pick<Alarms, 'disk_low' | 'battery_low'>;
  device: Device;
  changed: (device: Device) => void;
}

/** The rule of one device, and buttons that mute it. */
export function DeviceAlarms({ alarms, device, changed }: DeviceAlarmsProps) {
  const t = useText();
  const { id, rules } = device;
  const form = useForm({
    contract: () => import('./alarms.contract.ts'),
    schema: ({ deviceForm }) => deviceForm,
    initial: { alarm_device_silent: rules ? choiceOf(rules.silent_after_minutes) : asTheAccount },
    async send({ changeComputerAlarms }, { alarm_device_silent: value }, signal) {
      const { disk_low, battery_low } = rules ?? alarms;
      const own = value === asTheAccount ? null : { silent_after_minutes: minutesOf(value), disk_low, battery_low };
      changed(await sendRequest(changeComputerAlarms, { params: { id }, body: { rules: own }, signal }));
    },
  });
  return (
    <div className={css.device}>
      <FormStack {...form.props}>
        <FormProblems form={form} />
        <div className={css.line}>
          <div className={css.rule}>
            <div className={css.field}>
              <SelectField field={form.field('alarm_device_silent')} label="alarms.silent_one">
                <option value={asTheAccount}>{t('alarms.as_all')}</option>
                <DurationOptions current={rules?.silent_after_minutes ?? null} />
              </SelectField>
            </div>
            <SubmitButton
              label="alarms.save_device"
              narrow
              busy={form.busy ? 'form.wait' : undefined}
              retry={form.retry}
            />
          </div>
          <Mute device={device} changed={changed} />
        </div>
        <FormSaved form={form} />
      </FormStack>
    </div>
  );
}

function Mute({ device, changed }: Pick<DeviceAlarmsProps, 'device' | 'changed'>) {
  const state = useRef<HTMLDivElement>(null);
  const muting = useRequest(async (signal, mute: number | 'until_further_notice' | null) => {
    const { changeComputerAlarms } = await import('./alarms.contract.ts');
    changed(await sendRequest(changeComputerAlarms, { params: { id: device.id }, body: { mute }, signal }));
    // The button that was pressed disappears.
    state.current?.focus({ preventScroll: true });
  });
  return (
    <>
      <div className={css.mute}>
        <div ref={state} role="status" tabIndex={-1}>
          <Muted device={device} />
        </div>
        {device.muted ? (
          <Button label="alarms.unmute" quiet narrow onClick={() => void muting.start(null)} />
        ) : (
          <>
            <Button label="alarms.mute_day" quiet narrow onClick={() => void muting.start(aDay)} />
            <Button label="alarms.mute" quiet narrow onClick={() => void muting.start('until_further_notice')} />
          </>
        )}
      </div>
      {muting.error && (
        <div className={css.news}>
          <Notice kind="danger" role="alert">
            <Text {...muting.error.text} />
          </Notice>
        </div>
      )}
    </>
  );
}
