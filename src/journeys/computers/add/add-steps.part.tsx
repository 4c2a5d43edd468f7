import { useEffect, useEffectEvent, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { focusHeading } from '../../../browser/navigation/focus-heading.ts';
import { useAccountEvents } from '../../../browser/requests/account-events.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { listComputers } from '../../../contract/computers/computers.ts';
import { requestEnrolment } from '../../../contract/computers/enrolments.ts';
import { seconds } from '../../../contract/durations.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/notice.tsx';
import { AccountUnread } from '../../../ui/layouts/account/account-unread.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import css from './add-steps.module.css';
import { PasswordAgain } from './password-again.part.tsx';
import { Steps } from './steps.part.tsx';

type Computer = ResponseBody<typeof listComputers>['computers'][number];

interface Offer extends ResponseBody<typeof requestEnrolment> {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Ids of the computers from before the code. */
  readonly known: ReadonlySet<string>;
}

/** Shows a code, how to use it, and the computers that it has added. */
export function AddSteps({ email }: { email: string }) {
  const [offer, setOffer] = useState<Offer>();
  const [arrived, setArrived] = useState<readonly Computer[]>([]);
  const ask = async (signal: AbortSignal, password?: string) => {
    const { computers } = await sendRequest(listComputers, { signal });
    const asked = await sendRequest(requestEnrolment, { body: { password }, signal });
    setArrived([]);
    setOffer({
      ...asked,
      deadline: Date.now() + seconds(asked.expires_in),
      known: new Set(computers.map(({ id }) => id)),
    });
    asking.cancel();
  };
  const asking = useRequest((signal) => ask(signal));
  const look = useEffectEvent(async () => {
    if (!offer) return;
    // A single missing response is not worth a message.
    const listed = await sendRequest(listComputers, {}).catch(() => undefined);
    if (listed) setArrived(listed.computers.filter(({ id }) => !offer.known.has(id)));
  });
  useAccountEvents(() => void look());
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void asking.start(), []);
  const step = arrived.length > 0 ? 'arrived' : offer?.code;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the focused button may have disappeared
  useEffect(() => {
    if (document.activeElement === document.body) focusHeading();
  }, [step]);

  if (asking.error?.fields.some(({ field }) => field === 'password')) return <PasswordAgain email={email} ask={ask} />;
  if (!offer) return <AccountUnread failure={asking.error} retry={asking.restart} />;
  return (
    <>
      <Failed failure={asking.error} />
      {arrived.length > 0 ? (
        <Arrived computers={arrived} busy={asking.state === 'pending'} addAnother={() => void asking.start()} />
      ) : (
        <Steps offer={offer} busy={asking.state === 'pending'} ask={() => void asking.start()} />
      )}
    </>
  );
}

interface ArrivedProps {
  readonly computers: readonly Computer[];
  readonly busy: boolean;
  readonly addAnother: () => void;
}

function Arrived({ computers, busy, addAnother }: ArrivedProps) {
  return (
    <Card>
      <Notice kind="success" role="status">
        {computers.map(({ id, name }) => (
          <p key={id} className={css.name}>
            <Text id="computers_add.arrived" values={{ name }} dir="auto" />
          </p>
        ))}
      </Notice>
      <div className={css.buttons}>
        <ButtonLink to="/dashboard/" label="computers_add.dashboard" narrow />
        <Button
          label="computers_add.another"
          busy={busy ? 'frame.loading' : undefined}
          quiet
          narrow
          onClick={addAnother}
        />
      </div>
    </Card>
  );
}
