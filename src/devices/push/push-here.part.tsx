import { useEffect, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/feedback.tsx';
import { isApple, isInstalled } from '../computers/phone/own-phone.part.ts';
import { forgetPush, readPush } from './push.contract.ts';
import css from './push-here.module.css';
import { canPush, endPush, renewPush, subscribePush } from './subscription.part.ts';

/** Turns alarms in this browser on and off. Each visit renews the subscription, which its push service may have ended. */
export function PushHere({ changed }: { readonly changed: () => void }) {
  const { settings } = usePage();
  const [key, setKey] = useState<string | null>(null);
  /** The id of this browser, if it shows alarms. */
  const [id, setId] = useState<string>();
  const [isDenied, setDenied] = useState(false);
  const reading = useRequest(async (signal) => {
    const read = await sendRequest(readPush, { signal });
    setId(canPush() && read.key !== null ? await renewPush(read.key, signal) : undefined);
    setKey(read.key);
  });
  const turningOn = useRequest(async (signal) => {
    if (key === null) return;
    setDenied((await Notification.requestPermission()) !== 'granted');
    if (Notification.permission !== 'granted') return;
    setId(await subscribePush(key, signal));
    changed();
  });
  const turningOff = useRequest(async (signal) => {
    if (id !== undefined) await sendRequest(forgetPush, { params: { id }, signal });
    await endPush();
    setId(undefined);
    changed();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void reading.start(), []);

  const mustInstall = !canPush() && isApple() && !isInstalled() && navigator.maxTouchPoints > 1;
  if (key === null || !(canPush() || mustInstall)) return null;
  const busy = (request: { readonly state: string }) => (request.state === 'pending' ? 'form.wait' : undefined);
  return (
    <>
      {id === undefined && !mustInstall && (
        <Button
          label="security.authenticator_confirm"
          busy={busy(turningOn)}
          plain
          onClick={() => void turningOn.start()}
        />
      )}
      {id !== undefined && (
        <Button
          label="security.authenticator_remove"
          busy={busy(turningOff)}
          plain
          onClick={() => void turningOff.start()}
        />
      )}
      <p className={css.state}>
        {mustInstall ? (
          <Text id="computers_add.phone_apple" values={{ product: settings.productName }} />
        ) : (
          <Text id={id === undefined ? 'push.lead' : 'push.turned_on'} />
        )}
      </p>
      {isDenied && <Notice kind="danger" role="alert" text="push.denied" />}
      <Failed failure={turningOn.error ?? turningOff.error} />
    </>
  );
}
