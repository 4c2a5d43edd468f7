import { useState } from 'react';
import type { UsedPasskey } from '../../../browser/passkeys/ceremony.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';

/** Asks for one of the account’s passkeys, and completes the sign-in with it. */
export function useSecondPasskey(
  complete: (credential: UsedPasskey, signal: AbortSignal) => Promise<void>,
  over: () => void,
) {
  const [canceled, setCanceled] = useState(false);
  const { start, state, error } = useRequest(async (signal) => {
    setCanceled(false);
    const [{ secondStepChallenge }, { pickPasskey }] = await Promise.all([
      import('../second-step.contract.ts'),
      import('../../../browser/passkeys/ceremony.ts'),
    ]);
    const options = await sendRequest(secondStepChallenge, { body: {}, signal }).catch((failure: unknown) => {
      if (failure instanceof RequestFailure && failure.code === 'sign_in_expired') return over();
      throw failure;
    });
    if (!options) return;
    const credential = await pickPasskey(options, { signal });
    if (credential) await complete(credential, signal);
    else setCanceled(true);
  });
  return { start: () => void start(), busy: state === 'pending', error, canceled };
}
