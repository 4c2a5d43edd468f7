import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequestQueue } from '../../../browser/requests/request-queue.ts';
import { sendRemoval } from '../../../browser/requests/send-removal.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/notice.tsx';
import { Overdue } from '../../../ui/feedback/overdue.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { Lines } from '../lines.part.tsx';
import { Unread, useRead } from '../read.part.tsx';
import { DeviceLine } from './device-line.part.tsx';
import { type Device, mergeDevices } from './merge-devices.part.ts';
import { endOtherSessions, endSession, forgetDevice, listDevices, listSessions } from './sessions.contract.ts';

/** The devices of the account; the owner signs out and removes the others. */
export function Devices() {
  const { language: locale } = usePage();
  const read = useRead(async (signal) => {
    const asked = { query: { locale }, signal };
    const [{ sessions }, { devices }] = await Promise.all([
      sendRequest(listSessions, asked),
      sendRequest(listDevices, asked),
    ]);
    return mergeDevices(sessions, devices);
  });
  const ending = useRequestQueue(async (signal, end: 'others' | Device) => {
    if (end === 'others') await sendRequest(endOtherSessions, { signal });
    else if (end.session) await sendRemoval(endSession, { params: { id: end.session }, signal });
    read.again();
  });
  /** Removes a device, which also signs it out. */
  const removing = useRequestQueue(async (signal, { session, known }: Device) => {
    try {
      if (session) await sendRemoval(endSession, { params: { id: session }, signal });
      if (known) await sendRemoval(forgetDevice, { params: { id: known }, signal });
    } finally {
      read.again();
    }
  });
  const devices = read.answer ?? [];
  return (
    <Card>
      <h2 tabIndex={-1}>
        <Text id="account.devices" />
      </h2>
      <Unread read={read}>
        <p>
          <Text id="account.devices_text" />
        </p>
        <Lines>
          {devices.map((device) => (
            <DeviceLine
              key={device.key}
              device={device}
              signOut={() => void ending.start(device.key, device)}
              remove={() => void removing.start(device.key, device)}
            />
          ))}
        </Lines>
        {devices.filter(({ session }) => session).length > 1 && (
          <Button label="account.end_others" quiet narrow onClick={() => void ending.start('others', 'others')} />
        )}
        <Failed failure={ending.error ?? removing.error} />
        <Overdue waiting={ending.state === 'pending' || removing.state === 'pending'} />
      </Unread>
    </Card>
  );
}
