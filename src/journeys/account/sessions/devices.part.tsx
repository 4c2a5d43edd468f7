import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Overdue } from '../../../ui/feedback/unanswered.tsx';
import { Line, Lines, useTimes } from '../lines.part.tsx';
import { Failed, Unread, useRead } from '../read.part.tsx';
import { Device, Where } from './device.part.tsx';

const contract = () => import('./sessions.contract.ts');

/** The known devices of the account; a removed one counts as new at its next sign-in. */
export function Devices() {
  const time = useTimes();
  const { language: locale } = usePage();
  const read = useRead(async (signal) => sendRequest((await contract()).listDevices, { query: { locale }, signal }));
  const forgetting = useRequest(async (signal, id: string) => {
    const { forgetDevice } = await contract();
    await sendRequest(forgetDevice, { params: { id }, signal });
    read.again();
  });
  return (
    <Unread read={read}>
      <p>
        <Text id="account.devices_text" />
      </p>
      <Lines>
        {read.answer?.devices.map(({ id, current, device, ip, place, created_at: since, last_seen_at: used }) => (
          <Line
            key={id}
            title={<Device name={device} />}
            details={[
              ip && <Where key="where" ip={ip} place={place} />,
              <Text key="first" id="account.first_used" dir="auto" values={{ when: time(since) }} />,
              current ? (
                <Text key="this" id="account.session_this" />
              ) : (
                <Text key="used" id="account.session_used" dir="auto" values={{ when: time(used) }} />
              ),
            ]}
            action={{ label: 'account.forget_device', act: () => void forgetting.start(id) }}
          />
        ))}
      </Lines>
      <Failed failure={forgetting.error} />
      <Overdue waiting={forgetting.state === 'pending'} />
    </Unread>
  );
}
