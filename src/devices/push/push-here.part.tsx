import { useEffect, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/feedback.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { isApple, isInstalled } from '../computers/phone/own-phone.part.ts';
import { forgetPush, readPush, testPush } from './push.contract.ts';
import css from './push-here.module.css';
import { canPush, endPush, renewPush, subscribePush } from './subscription.part.ts';

type Tested = ResponseBody<typeof testPush>;

/** Turns alarms on this device on and off. Each visit renews the subscription, which its push service may have ended. */
export function PushHere() {
  const { settings } = usePage();
  const [key, setKey] = useState<string | null>(null);
  /** The id of this browser, if it shows alarms. */
  const [id, setId] = useState<string>();
  const [tested, setTested] = useState<Tested>();
  const [isDenied, setDenied] = useState(false);
  const reading = useRequest(async (signal) => {
    const read = await sendRequest(readPush, { signal });
    setId(canPush() && read.key !== null ? await renewPush(read.key, signal) : undefined);
    setKey(read.key);
  });
  const turningOn = useRequest(async (signal) => {
    if (key === null) return;
    setDenied((await Notification.requestPermission()) !== 'granted');
    if (Notification.permission === 'granted') setId(await subscribePush(key, signal));
  });
  const turningOff = useRequest(async (signal) => {
    if (id !== undefined) await sendRequest(forgetPush, { params: { id }, signal });
    await endPush();
    setTested(undefined);
    setId(undefined);
  });
  const testing = useRequest(async (signal) => {
    if (id === undefined) return;
    const said = await sendRequest(testPush, { params: { id }, signal });
    setTested(said);
    if (said.state === 'gone') setId(undefined);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void reading.start(), []);

  const mustInstall = !canPush() && isApple() && !isInstalled() && navigator.maxTouchPoints > 1;
  if (key === null || !(canPush() || mustInstall)) return null;
  const busy = (request: { readonly state: string }) => (request.state === 'pending' ? 'form.wait' : undefined);
  return (
    <Card>
      <h2>
        <Text id="push.title" />
      </h2>
      <p>
        <Text id={id === undefined ? 'push.lead' : 'push.turned_on'} />
      </p>
      {mustInstall && (
        <p>
          <Text id="computers_add.phone_apple" values={{ product: settings.productName }} />
        </p>
      )}
      {isDenied && (
        <Notice kind="danger" role="alert">
          <Text id="push.denied" />
        </Notice>
      )}
      {tested && (
        <Notice kind={tested.state === 'accepted' ? 'success' : 'danger'} role="status">
          <Text
            id={tested.state === 'accepted' ? 'push.accepted' : 'push.failed'}
            values={{ said: `${tested.status ?? ''} ${tested.said}`.trim() }}
          />
        </Notice>
      )}
      <Failed failure={turningOn.error ?? turningOff.error ?? testing.error} />
      {id === undefined && !mustInstall && (
        <Button
          label="security.authenticator_confirm"
          busy={busy(turningOn)}
          narrow
          onClick={() => void turningOn.start()}
        />
      )}
      {id !== undefined && (
        <div className={css.buttons}>
          <Button label="alarms.test" busy={busy(testing)} quiet narrow onClick={() => void testing.start()} />
          <Button
            label="security.authenticator_remove"
            busy={busy(turningOff)}
            quiet
            narrow
            onClick={() => void turningOff.start()}
          />
        </div>
      )}
    </Card>
  );
}
