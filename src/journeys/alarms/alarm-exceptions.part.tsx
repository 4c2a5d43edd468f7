import { useId, useState } from 'react';
import { useSortedByName } from '../../browser/language/collation.ts';
import { Text } from '../../browser/language/text.tsx';
import { NameOptions, Select } from '../../ui/fields/select-field.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import { useAlarmDurations } from './alarm-durations.part.tsx';
import css from './alarm-exceptions.module.css';
import type { Alarms } from './alarms.contract.ts';
import { DeviceAlarms, Muted } from './device-alarms.part.tsx';

type Device = Alarms['computers'][number];

interface AlarmExceptionsProps {
  alarms: Alarms;
  changed: (device: Device) => void;
}

/** The devices that have rules of their own or are muted, and a list from which any device can be chosen. */
export function AlarmExceptions({ alarms, changed }: AlarmExceptionsProps) {
  const id = useId();
  const devices = useSortedByName(alarms.computers);
  const [chosen, choose] = useState(devices[0]?.id);
  const device = devices.find((one) => one.id === chosen) ?? devices[0];
  const exceptions = devices.filter(({ muted, rules }) => muted || rules !== null);
  return (
    <Card>
      <h2>
        <Text id="alarms.devices" />
      </h2>
      {exceptions.length > 0 && (
        <ul className={css.list}>
          {exceptions.map((one) => (
            <Exception key={one.id} device={one} choose={() => choose(one.id)} />
          ))}
        </ul>
      )}
      <div className={css.device}>
        <label htmlFor={id}>
          <Text id="dashboard.filter_device" />
        </label>
        <Select id={id} value={device?.id ?? ''} onChange={({ target }) => choose(target.value)}>
          <NameOptions of={devices} selected={device?.id ?? ''} />
        </Select>
      </div>
      {device && <DeviceAlarms key={device.id} alarms={alarms} device={device} changed={changed} />}
    </Card>
  );
}

function Exception({ device, choose }: { device: Device; choose: () => void }) {
  const inWords = useAlarmDurations();
  const { name, rules } = device;
  return (
    <li className={css.item}>
      <div className={css.words}>
        <span>
          <bdi>{name}</bdi>
        </span>
        {rules && (
          <span className={css.detail}>
            <Text id="alarms.own" values={{ value: inWords(rules.silent_after_minutes) }} dir="auto" />
          </span>
        )}
        <span className={css.detail}>
          <Muted device={device} />
        </span>
      </div>
      <TextButton onClick={choose}>
        <Text id="alarms.manage" />
        <VisuallyHidden> {name}</VisuallyHidden>
      </TextButton>
    </li>
  );
}
