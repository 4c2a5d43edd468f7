import { useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { pickPasskey } from '../../browser/passkeys/ceremony.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import { stepUp, stepUpChallenge } from '../../contract/sign-in/step-up.ts';
import { Button } from '../button.tsx';
import { Failed, Notice } from '../feedback/notice.tsx';
import { Stack } from '../layouts/stack.tsx';
import { type StepUpMethodProps, StepUpMethods } from './step-up-methods.tsx';

/** The step-up with a passkey. */
export function StepUpByPasskey({ satisfy, ...others }: StepUpMethodProps) {
  const [canceled, setCanceled] = useState(false);
  const proof = useRequest(async (signal) => {
    setCanceled(false);
    const options = await sendRequest(stepUpChallenge, { body: {}, signal });
    const credential = await pickPasskey(options, { signal });
    if (!credential) return setCanceled(true);
    startSession(await sendRequest(stepUp, { body: { credential }, signal }));
    satisfy();
  });
  return (
    <Stack tight>
      <Failed failure={proof.error} />
      {canceled && (
        <Notice kind="info" role="status">
          <Text id="passkey.canceled" />
        </Notice>
      )}
      <Button
        label="second_step.passkey"
        busy={proof.state === 'pending' ? 'form.wait' : undefined}
        onClick={() => void proof.start()}
        retry={proof.restart}
      />
      <StepUpMethods {...others} />
    </Stack>
  );
}
