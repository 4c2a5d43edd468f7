import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequestQueue } from '../../../browser/requests/request-status.ts';
import { sendRemoval, sendRequest } from '../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button, singleClick } from '../../../ui/button.tsx';
import { Failed, Notice, Overdue } from '../../../ui/feedback/feedback.tsx';
import { icon } from '../../../ui/icons.tsx';
import { Card, Heading } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { Standing } from '../layout/rows.part.tsx';
import { Section } from '../layout/section.part.tsx';
import { Detail, DeviceName, Facts, IconLine, Lines } from '../lines.part.tsx';
import { Unread, useRead } from '../read.part.tsx';
import { endOtherSessions, endSession, listSessions } from './sessions.contract.ts';

/** The sessions of the account, each on its device. */
export default function SessionsPage() {
  return <Section title="account_sessions.page">{() => <Sessions />}</Section>;
}

/** The sessions of the account; its owner ends the others. */
function Sessions() {
  const { language: locale } = usePage();
  const read = useRead((signal) => sendRequest(listSessions, { query: { locale }, signal }));
  const ending = useRequestQueue(async (signal, end: 'others' | Session) => {
    if (end === 'others') await sendRequest(endOtherSessions, { signal });
    else await sendRemoval(endSession, { params: { id: end.id }, signal });
    read.again();
  });
  const { sessions = [] } = read.response ?? {};
  return (
    <Card>
      <Heading text="account.sessions" />
      <Unread read={read}>
        <Paragraph id="account.sessions_text" />
        <Lines>
          {sessions.map((session) => (
            <SessionLine key={session.id} session={session} end={() => void ending.start(session.id, session)} />
          ))}
        </Lines>
        {sessions.length > 1 && (
          <Button label="account.end_others" quiet narrow onClick={() => void ending.start('others', 'others')} />
        )}
        {ending.state === 'success' && <Notice kind="success" role="status" text="account.signed_out_there" />}
        <Failed failure={ending.error} />
        <Overdue waiting={ending.state === 'pending'} />
      </Unread>
    </Card>
  );
}

type Session = ResponseBody<typeof listSessions>['sessions'][number];

const Phone = icon(<path d="M6.5 2.5h7v15h-7zM9.2 15h1.6" />);
const Laptop = icon(<path d="M4 4.5h12v8.5H4zM2 16h16" />);

/** A session: on which device, from where and since when, and how to end it. */
function SessionLine({ session, end }: { session: Session; end: () => void }) {
  const { day, when } = useTimes();
  const { device, current, ip, place, created_at: began, last_seen_at: lastUsed } = session;
  return (
    <IconLine
      icon={/Android|iOS|iPadOS/.test(device) ? <Phone /> : <Laptop />}
      name={
        <>
          <DeviceName name={device} />
          {current && <Standing good label="account.session_this" />}
        </>
      }
      details={
        <>
          <Detail>
            <Facts>
              <bdi>{ip}</bdi>
              {place && <bdi>{place}</bdi>}
            </Facts>
          </Detail>
          <Detail>
            <Facts>
              {!current && <Text id="account.session_used" dir="auto" values={{ when: when(lastUsed) }} />}
              <Text id="account.first_used" dir="auto" values={{ when: day(began) }} />
            </Facts>
          </Detail>
        </>
      }
      actions={
        !current && (
          <TextButton onClick={singleClick(end)}>
            <Text id="account.end_session" />
            <VisuallyHidden>
              {' '}
              <DeviceName name={device} />
            </VisuallyHidden>
          </TextButton>
        )
      }
    />
  );
}
