import { startTransition, useEffect, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useAccountChanges } from '../../browser/requests/account-changes.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { Button } from '../../ui/button.tsx';
import { Failed } from '../../ui/feedback/notice.tsx';
import { Overdue } from '../../ui/feedback/overdue.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { type Alarms, readAlarms } from './alarms.contract.ts';
import { DeviceExceptions } from './exceptions/device-exceptions.part.tsx';
import { TagExceptions } from './exceptions/tag-exceptions.part.tsx';
import { AlarmRules } from './rules/alarm-rules.part.tsx';
import { TestAlarm } from './test-alarm/test-alarm.part.tsx';

/** Rules for all devices, a test, and exceptions for tags and single devices. Reads its own data. */
export function AlarmSettings() {
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
