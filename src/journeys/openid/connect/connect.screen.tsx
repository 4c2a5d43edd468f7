import { useState } from 'react';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { keepReturnPlace, leaveTo } from '../../../browser/navigation/last-place.ts';
import { useGo, useQuery } from '../../../browser/navigation/navigation.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { beginNewSignIn } from '../../../browser/requests/session.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { Stack, Title } from '../../../ui/layouts/card.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import { Unread, useRead } from '../../account/read.part.tsx';
import { decide, readStep } from './connect.contract.ts';
import { Consent, DecisionButtons, WhoseAccount } from './consent.part.tsx';
import { ConnectOver } from './over.part.tsx';
import { Refused } from './turned-away.part.tsx';

/** Continues a sign-in to an application. It shows something only if the user must decide or sign in again. */
export default function Connect() {
  const id = useQuery().query.get('request') ?? '';
  // Before hydration, the address is not known.
  return <ClearLayout>{id === '' ? <Heading /> : <Continuation key={id} id={id} />}</ClearLayout>;
}

const Heading = ({ request }: { request?: Step }) => (
  <Title>
    {request?.step === 'consent' || request?.step === 'sign_in_again' ? (
      <Text id={titles[request.step]} values={{ app: request.app }} dir="auto" />
    ) : (
      <Text id="connect.page" />
    )}
  </Title>
);

function Continuation({ id }: { id: string }) {
  const [isLeaving, leave] = useState(false);
  /** The request expired while the user decided, or another tab decided it. */
  const [isOver, setOver] = useState(false);
  const go = (to: string) => {
    leave(true);
    leaveTo(to);
  };
  const read = useRead(async (signal) => {
    const step = await sendRequest(readStep, { params: { id }, signal });
    if (step.step === 'continue') go(step.to);
    return step;
  });
  const { response, failure } = read;
  if (isOver || failure?.code === 'not_found') return <ConnectOver />;
  return (
    <>
      {response?.step !== 'refused' && <Heading {...(response && { request: response })} />}
      <Unread read={read}>
        {response?.step === 'sign_in_again' && <SignInAgain app={response.app} />}
        {(response?.step === 'consent' || response?.step === 'refused') && (
          <Decision id={id} request={response} go={go} isLeaving={isLeaving} over={() => setOver(true)} />
        )}
      </Unread>
    </>
  );
}

const titles = {
  consent: 'connect.consent_title',
  sign_in_again: 'connect.again_title',
} as const;

/** The session and its applications stay: the new sign-in replaces it. */
function SignInAgain({ app }: { app: string }) {
  const go = useGo();
  const start = () => {
    keepReturnPlace(new URL(location.href));
    beginNewSignIn();
    go('/');
  };
  return (
    <Stack>
      <Paragraph id="connect.again_text" values={{ app }} dir="auto" />
      <Button label="sign_in.submit" onClick={start} />
    </Stack>
  );
}

type Step = ResponseBody<typeof readStep>;

interface DecisionProps {
  id: string;
  request: Step;
  go: (to: string) => void;
  isLeaving: boolean;
  over: () => void;
}

function Decision({ id, request: { step, app, site, scopes, apis }, go, isLeaving, over }: DecisionProps) {
  const deciding = useRequest(
    async (signal, allow: boolean) => {
      const sent = { params: { id }, body: { allow }, signal };
      go((await sendRequest(decide, sent)).to);
    },
    { onError: ({ code }) => code === 'not_found' && over() },
  );
  if (step === 'refused')
    return (
      <Refused app={app}>
        <WhoseAccount />
        <Failed failure={deciding.error} />
        <Button
          label="connect.back"
          quiet
          busy={deciding.state === 'pending' || isLeaving ? 'form.wait' : undefined}
          retry={isLeaving ? undefined : () => deciding.restart(false)}
          onClick={() => void deciding.start(false)}
        />
      </Refused>
    );
  return (
    <Stack>
      <Consent scopes={scopes} apis={apis}>
        <Paragraph id="connect.consent_text" values={{ app, site }} dir="auto" />
      </Consent>
      <DecisionButtons deciding={deciding} isLeaving={isLeaving} />
    </Stack>
  );
}
