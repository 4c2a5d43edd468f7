import { Text } from '../../../browser/language/text.tsx';
import { icon } from '../../../ui/icons.tsx';
import { singleClick } from '../../../ui/single-click.ts';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { Detail, IconLine } from '../icon-line.part.tsx';
import { useTimes } from '../lines.part.tsx';
import { DeviceName, Where } from './device.part.tsx';
import css from './device-line.module.css';
import type { Device } from './merge-devices.part.ts';

const Phone = icon(<path d="M6.5 2.5h7v15h-7zM9.2 15h1.6" />);
const Laptop = icon(<path d="M4 4.5h12v8.5H4zM2 16h16" />);

interface DeviceLineProps {
  device: Device;
  signOut: () => void;
  remove: () => void;
}

/** A device of the list: whether it is signed in, from where and since when it is used, and how to get rid of it. */
export function DeviceLine({ device: shown, signOut, remove }: DeviceLineProps) {
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
