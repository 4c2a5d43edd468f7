import { useState } from 'react';
import { useSortedByName } from '../../../browser/language/collation.ts';
import { Text } from '../../../browser/language/text.tsx';
import type { Alarms } from '../alarms.contract.ts';
import { useAlarmDurations } from '../rules/alarm-durations.part.tsx';
import { AlarmExceptions, ExceptionDetail } from './alarm-exceptions.part.tsx';
import { DeviceAlarms, Muted } from './device-alarms.part.tsx';

type Device = Alarms['computers'][number];

/** The devices that have rules of their own or are muted, and the form of any device. */
export function DeviceExceptions({ alarms, changed }: { alarms: Alarms; changed: (device: Device) => void }) {
  const devices = useSortedByName(alarms.computers);
  const [chosen, choose] = useState(devices[0]?.id);
  const device = devices.find((one) => one.id === chosen) ?? devices[0];
  const exceptions = devices
    .filter(({ muted, rules }) => muted || rules !== null)
    .map((one) => ({ ...one, details: <Details device={one} /> }));
  return (
    <AlarmExceptions
      title="alarms.devices"
      exceptions={exceptions}
      label="dashboard.filter_device"
      all={devices}
      chosen={device?.id ?? ''}
      choose={choose}
    >
      {device && <DeviceAlarms key={device.id} alarms={alarms} device={device} changed={changed} />}
    </AlarmExceptions>
  );
}

function Details({ device }: { device: Device }) {
  const inWords = useAlarmDurations();
  const { rules } = device;
  return (
    <>
      {rules && (
        <ExceptionDetail>
          <Text id="alarms.own" values={{ value: inWords(rules.silent_after_minutes) }} dir="auto" />
        </ExceptionDetail>
      )}
      <ExceptionDetail>
        <Muted device={device} />
      </ExceptionDetail>
    </>
  );
}
