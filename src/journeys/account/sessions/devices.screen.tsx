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
import { VisuallyHidden } from '../../../ui/text-on-page.tsx';
import { Section } from '../layout/section.part.tsx';
import { Detail, IconLine, Lines } from '../lines.part.tsx';
import { Unread, useRead } from '../read.part.tsx';
import { DeviceName, Where } from './device.part.tsx';
import css from './devices.module.css';
import { endOtherSessions, endSession, forgetDevice, listDevices, listSessions } from './sessions.contract.ts';

/** The devices that signed in to the account, and their sessions. */
export default function DevicesPage() {
  return <Section title="account_devices.page">{() => <Devices />}</Section>;
}

/** The devices of the account; the owner signs out and removes the others. */
function Devices() {
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
  const devices = read.response ?? [];
  return (
    <Card>
      <Heading text="account.devices" />
      <Unread read={read}>
        <Paragraph id="account.devices_text" />
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
        {ending.state === 'success' && removing.state !== 'pending' && (
          <Notice kind="success" role="status" text="account.signed_out_there" />
        )}
        <Failed failure={ending.error ?? removing.error} />
        <Overdue waiting={ending.state === 'pending' || removing.state === 'pending'} />
      </Unread>
    </Card>
  );
}

type Session = ResponseBody<typeof listSessions>['sessions'][number];
type Known = ResponseBody<typeof listDevices>['devices'][number];

/** A device that is signed in, known, or both. */
interface Device extends Pick<Session, 'current' | 'device' | 'place'> {
  readonly key: string;
  readonly ip: string | null;
  readonly firstUsed: string;
  readonly lastUsed: string;
  /** Id of its session; undefined if it is signed out. */
  readonly session: string | undefined;
  /** Id of the known device; undefined if its next sign-in counts as new. */
  readonly known: string | undefined;
}

/** One list of sessions and known devices: this device, then signed-in ones, then the others, each last used first. */
function mergeDevices(sessions: readonly Session[], devices: readonly Known[]): readonly Device[] {
  const signedIn = sessions.map((session): Device => {
    const known = devices.find(({ id, current }) => id === session.device_id || (current && session.current));
    const firstUsed = known && known.created_at < session.created_at ? known.created_at : session.created_at;
    const { id: key, last_seen_at: lastUsed } = session;
    return { ...session, key, firstUsed, lastUsed, session: key, known: known?.id };
  });
  const others = devices
    .filter(({ id }) => !signedIn.some(({ known }) => known === id))
    .map((one): Device => {
      const { id: key, created_at: firstUsed, last_seen_at: lastUsed } = one;
      return { ...one, key, firstUsed, lastUsed, session: undefined, known: key };
    });
  return [...signedIn, ...others].sort(
    (one, other) => rankOf(one) - rankOf(other) || other.lastUsed.localeCompare(one.lastUsed),
  );
}

function rankOf({ current, session }: Device): number {
  if (current) return 0;
  return session === undefined ? 2 : 1;
}

const Phone = icon(<path d="M6.5 2.5h7v15h-7zM9.2 15h1.6" />);
const Laptop = icon(<path d="M4 4.5h12v8.5H4zM2 16h16" />);

/** A device of the list: whether it is signed in, from where and since when it is used, and how to get rid of it. */
function DeviceLine({ device: shown, signOut, remove }: { device: Device; signOut: () => void; remove: () => void }) {
  const { day, when } = useTimes();
  const { device, current, ip, place, firstUsed, lastUsed, session, known } = shown;
  return (
    <IconLine
      icon={/Android|iOS|iPadOS/.test(device) ? <Phone /> : <Laptop />}
      muted={!session}
      name={
        <>
          <DeviceName name={device} />
          <span className={session ? css.in : css.away}>
            <Text id={stateOf(shown)} />
          </span>
        </>
      }
      details={
        <>
          {ip !== null && (
            <Detail>
              <Where ip={ip} place={place} />
            </Detail>
          )}
          <Detail>
            {!current && (
              <>
                <Text id="account.session_used" dir="auto" values={{ when: when(lastUsed) }} />
                {' · '}
              </>
            )}
            <Text id="account.first_used" dir="auto" values={{ when: day(firstUsed) }} />
          </Detail>
        </>
      }
      actions={
        !current && (
          <>
            {session && (
              <TextButton onClick={singleClick(signOut)}>
                <Text id="account.end_session" />
                <VisuallyHidden>
                  {' '}
                  <DeviceName name={device} />
                </VisuallyHidden>
              </TextButton>
            )}
            {known && (
              <TextButton danger onClick={singleClick(remove)}>
                <Text id="account.forget_device" />
                <VisuallyHidden>
                  {' '}
                  <DeviceName name={device} />
                </VisuallyHidden>
              </TextButton>
            )}
          </>
        )
      }
    />
  );
}

function stateOf({ current, session }: Device) {
  if (current) return 'account.session_this';
  return session ? 'account.device_signed_in' : 'account.device_signed_out';
}
