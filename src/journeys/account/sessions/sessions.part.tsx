import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button } from '../../../ui/button.tsx';
import { Overdue } from '../../../ui/feedback/unanswered.tsx';
import { Line, Lines, useTimes } from '../lines.part.tsx';
import { Failed, Unread, useRead } from '../read.part.tsx';
import { Device, Where } from './device.part.tsx';

const contract = () => import('./sessions.contract.ts');

/** The sessions of the account; the owner can end each of them. */
export function Sessions() {
  const time = useTimes();
  const { language: locale } = usePage();
  const read = useRead(async (signal) => sendRequest((await contract()).listSessions, { query: { locale }, signal }));
  const ending = useRequest(async (signal, id: string | undefined) => {
    const { endSession, endOtherSessions } = await contract();
    if (id === undefined) await sendRequest(endOtherSessions, { signal });
    else await sendRequest(endSession, { params: { id }, signal });
    read.again();
  });
  const sessions = read.answer?.sessions ?? [];
  return (
    <Unread read={read}>
      <Lines>
        {sessions.map(({ id, current, device, ip, place, created_at: since, last_seen_at: used }) => (
          <Line
            key={id}
            title={<Device name={device} />}
            details={[
              <Where key="where" ip={ip} place={place} />,
              <Text key="first" id="account.first_used" dir="auto" values={{ when: time(since) }} />,
              current ? (
                <Text key="this" id="account.session_this" />
              ) : (
                <Text key="used" id="account.session_used" dir="auto" values={{ when: time(used) }} />
              ),
            ]}
            action={!current && { label: 'account.end_session', act: () => void ending.start(id) }}
          />
        ))}
      </Lines>
      {sessions.length > 1 && (
        <Button label="account.end_others" quiet narrow onClick={() => void ending.start(undefined)} />
      )}
      <Failed failure={ending.error} />
      <Overdue waiting={ending.state === 'pending'} />
    </Unread>
  );
}
