import { type ReactNode, useRef, useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { notifyOtherTabs } from '../../browser/requests/account-changes.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { languageOf } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Button, SubmitButton, singleClick } from '../../ui/button.tsx';
import { Failed, FormSaved } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { SelectField } from '../../ui/fields/choice-fields.tsx';
import { FormStack } from '../../ui/layouts/card.tsx';
import { eachWarning, type Warning } from '../contract/record-kinds.ts';
import { type Alarms, changeComputerAlarms, type OwnRules } from './alarms.contract.ts';
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
  /** The rules of the account and of its tags. */
  alarms: Pick<Alarms, Warning | 'tags'>;
  device: Device;
  changed: (device: Device) => void;
}

/** The rule of one device, and buttons that mute it. */
export function DeviceAlarms({ alarms, device, changed }: DeviceAlarmsProps) {
  const { id, rules, tags } = device;
  const isTagged = alarms.tags.some(({ tag }) => tags.includes(tag));
  return (
    <SilenceForm
      name="alarm_device_silent"
      label="alarms.silent_one"
      usual={isTagged ? 'alarms.as_tag' : 'alarms.as_all'}
      save="alarms.save_device"
      rules={rules}
      account={alarms}
      send={async (own, signal) => {
        changed(await sendRequest(changeComputerAlarms, { params: { id }, body: { rules: own }, signal }));
        notifyOtherTabs();
      }}
    >
      <Mute device={device} changed={changed} />
    </SilenceForm>
  );
}

/** Minutes, or null to end a mute. */
type Muting = number | 'until_further_notice' | null;

function Mute({ device, changed }: Pick<DeviceAlarmsProps, 'device' | 'changed'>) {
  const state = useRef<HTMLDivElement>(null);
  const [pressed, press] = useState<Muting>();
  const muting = useRequest(async (signal, mute: Muting) => {
    press(mute);
    changed(await sendRequest(changeComputerAlarms, { params: { id: device.id }, body: { mute }, signal }));
    notifyOtherTabs();
    // The button that was pressed disappears.
    state.current?.focus({ preventScroll: true });
  });
  const button = (label: 'alarms.unmute' | 'alarms.mute_day' | 'alarms.mute', mute: Muting) => (
    <Button
      label={label}
      quiet
      narrow
      busy={muting.state === 'pending' && pressed === mute ? 'form.wait' : undefined}
      retry={() => muting.restart(mute)}
      onClick={singleClick(() => void muting.start(mute))}
    />
  );
  return (
    <>
      <div className={css.mute}>
        <div ref={state} role="status" tabIndex={-1}>
          <Muted device={device} />
        </div>
        {device.muted ? (
          button('alarms.unmute', null)
        ) : (
          <>
            {button('alarms.mute_day', aDay)}
            {button('alarms.mute', 'until_further_notice')}
          </>
        )}
      </div>
      {muting.error && (
        <div className={css.news}>
          <Failed failure={muting.error} />
        </div>
      )}
    </>
  );
}

/** The value of the list that stands for the rules of the account or of a tag. */
const asUsual = 'account';

interface SilenceFormProps {
  name: 'alarm_device_silent' | 'alarm_tag_silent';
  label: MessageId;
  /** The choice without rules of its own. */
  usual: MessageId;
  /** Label of the button. */
  save: MessageId;
  /** Null: no rules of its own. */
  rules: OwnRules | null;
  /** The rules of the account, for those that the form does not show. */
  account: Pick<OwnRules, Warning>;
  send: (rules: OwnRules | null, signal: AbortSignal) => Promise<void>;
  /** Beside the button that saves. */
  children?: ReactNode;
}

/** After how long a silence of one device, or of those with a tag, is reported. */
export function SilenceForm({ name, label, usual, save, rules, account, send, children }: SilenceFormProps) {
  const t = useText();
  const form = useForm({
    contract: () => import('./alarms.contract.ts'),
    schema: ({ silenceForms }) => silenceForms[name],
    initial: { [name]: rules ? choiceOf(rules.silent_after_minutes) : asUsual } as Record<typeof name, string>,
    async send(_contract, body, signal) {
      const value = (body as Partial<Record<typeof name, string>>)[name] ?? asUsual;
      const others = eachWarning((kind) => (rules ?? account)[kind]);
      await send(value === asUsual ? null : { silent_after_minutes: minutesOf(value), ...others }, signal);
    },
  });
  return (
    <div className={css.silence}>
      <FormStack {...form.props}>
        <FormProblems form={form} />
        <div className={css.line}>
          <div className={css.rule}>
            <div className={css.field}>
              <SelectField field={form.field(name)} label={label}>
                <option value={asUsual}>{t(usual)}</option>
                <DurationOptions current={rules?.silent_after_minutes ?? null} />
              </SelectField>
            </div>
            <SubmitButton label={save} narrow busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
          </div>
          {children}
        </div>
        <FormSaved form={form} />
      </FormStack>
    </div>
  );
}

/** Minutes that the lists offer; the API accepts any from 5 to a week. */
const offered = [5, 10, 15, 30, 60, 180, 360, 720, 1440, 2880];

const units = [
  { unit: 'day', minutes: 1440 },
  { unit: 'hour', minutes: 60 },
  { unit: 'minute', minutes: 1 },
] as const;

/** The value of a list that stands for no alarm. */
const noAlarm = 'none';

/** Formats a number of minutes in the page's language and Latin digits; null means no alarm. */
export function useAlarmDurations(): (minutes: number | null) => string {
  const { tag } = languageOf(usePage().language);
  const t = useText();
  return (count) => {
    if (count === null) return t('alarms.never');
    const { unit, minutes } = units.find((each) => count % each.minutes === 0) ?? units[2];
    const format = new Intl.NumberFormat(`${tag}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' });
    return format.format(count / minutes);
  };
}

export const choiceOf = (minutes: number | null): string => (minutes === null ? noAlarm : String(minutes));

export const minutesOf = (value: string): number | null => (value === noAlarm ? null : Number(value));

/** The `<option>`s of a list of durations; `current` is among them even if we do not offer it. */
export function DurationOptions({ current }: { current: number | null }) {
  const inWords = useAlarmDurations();
  const all = current === null || offered.includes(current) ? offered : [...offered, current].sort((a, b) => a - b);
  return [...all, null].map((minutes) => (
    <option key={choiceOf(minutes)} value={choiceOf(minutes)}>
      {inWords(minutes)}
    </option>
  ));
}
