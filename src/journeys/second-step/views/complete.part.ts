import { useState } from 'react';
import { goToLastPlace } from '../../../browser/navigation/last-place.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { tabStorage } from '../../../browser/platform/storage.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { startSession } from '../../../browser/requests/session.ts';
import type { BodySent } from '../../../contract/endpoint.ts';
import type { secondStep } from '../second-step.contract.ts';

type Proof = Omit<BodySent<typeof secondStep>, 'remember'>;

/** Whether others use this computer: then it is never remembered. */
export const isSharedComputer = (): boolean => tabStorage.read('entered_by') === 'shared';

/** Completes the sign-in with a proof; calls `over` if the pending sign-in has expired. */
export function useComplete(over: () => void) {
  const { language } = usePage();
  const [granted, setGranted] = useState(false);
  async function complete(proof: Proof, remember: boolean, signal: AbortSignal): Promise<void> {
    const { secondStep } = await import('../second-step.contract.ts');
    try {
      startSession(await sendRequest(secondStep, { body: { ...proof, remember }, signal }));
    } catch (failure) {
      if (!(failure instanceof RequestFailure)) throw failure;
      if (failure.code === 'sign_in_expired') return over();
      // A code of an app cannot be requested again, as `code_incorrect` without attempts would say.
      if (failure.code === 'code_incorrect' && failure.attemptsLeft === 0) throw lockout(failure);
      throw failure;
    }
    setGranted(true);
    await goToLastPlace(language).catch((failure: unknown) => {
      setGranted(false);
      throw failure;
    });
  }
  return { granted, complete };
}

/** The lockout that has begun; the next attempt reports its exact end. */
const lockout = ({ minutes = 1 }: RequestFailure) => new RequestFailure(429, { code: 'too_many_attempts', minutes });
