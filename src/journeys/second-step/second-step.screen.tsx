import { useEffect, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { useStep } from '../../browser/navigation/step.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { DefaultLayout } from '../../ui/layouts/default-layout.tsx';
import { PhoneWithCode } from '../../ui/layouts/picture.tsx';
import { BelowForm } from '../../ui/layouts/stack.tsx';
import { Title } from '../../ui/layouts/title.tsx';
import { Lost } from './removal/lost.part.tsx';
import type { pendingSignIn } from './second-step.contract.ts';
import { ByCode } from './views/by-code.part.tsx';
import { ByRecoveryCode } from './views/by-recovery-code.part.tsx';
import { SignInOver, Unread } from './views/sign-in-over.part.tsx';

/** The view that the page shows instead of the code; it survives a reload, and Back leaves it. */
type SecondStepPlace = 'recovery' | 'lost' | 'over';

/** The second step of a sign-in. The server knows which account waits for it in this browser. */
export default function SecondStep() {
  const [place, enter] = useStep<SecondStepPlace>();
  const [pending, setPending] = useState<ResponseBody<typeof pendingSignIn>>();
  const { start, restart, error } = useRequest(async (signal) => {
    const { pendingSignIn } = await import('./second-step.contract.ts');
    setPending(await sendRequest(pendingSignIn, { signal }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  const over = () => enter('over', true);
  const back = () => enter(undefined, true);
  const isOver = place === 'over' || pending?.ways.length === 0;
  return (
    <DefaultLayout beside={<Text id="sign_in.panel" />} picture={<PhoneWithCode />}>
      {isOver && <SignInOver />}
      {!isOver && !pending && (
        <>
          <Title lead={'\u00a0'}>
            <Text id="second_step.page" />
          </Title>
          <Unread failure={error} retry={restart} />
        </>
      )}
      {!isOver && pending && !place && (
        <ByCode pending={pending} over={over} toRecovery={() => enter('recovery')} toLost={() => enter('lost')} />
      )}
      {!isOver && pending && place === 'recovery' && (
        <ByRecoveryCode over={over} back={back} toLost={() => enter('lost', true)} />
      )}
      {!isOver && pending && place === 'lost' && (
        <Lost
          removalAt={pending.removal_at}
          over={over}
          back={back}
          requested={(at) => setPending({ ...pending, removal_at: at })}
        />
      )}
      {!isOver && (
        <BelowForm>
          <p>
            <Link to="/">
              <Text id="recovery.back" />
            </Link>
          </p>
        </BelowForm>
      )}
    </DefaultLayout>
  );
}
