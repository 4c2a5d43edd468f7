import { useRef, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { notifyOtherTabs } from '../../../browser/requests/account-changes.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { Warning } from '../../../contract/computers/record-kinds.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/notice.tsx';
import { singleClick } from '../../../ui/single-click.ts';
import { type Alarms, changeComputerAlarms } from '../alarms.contract.ts';
import css from './device-alarms.module.css';
import { SilenceForm } from './silence-form.part.tsx';

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
