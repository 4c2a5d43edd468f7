import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { hasPasskeys } from '../../browser/passkeys/passkey-support.ts';
import { InStepUp } from '../../browser/requests/overdue.ts';
import type { StepUpRequest } from '../../browser/requests/step-up.ts';
import type { StepUpWay } from '../../contract/sign-in/sign-in-methods.ts';
import { Dialog } from '../dialog.tsx';
import { Notice } from '../feedback/notice.tsx';
import { StepUpByCode } from './step-up-by-code.tsx';
import { StepUpByPasskey } from './step-up-by-passkey.tsx';
import { StepUpByPassword } from './step-up-by-password.tsx';
import css from './step-up-dialog.module.css';
import { StepUpMethods } from './step-up-methods.tsx';

export interface StepUpDialogProps {
  request: StepUpRequest;
}

/** The method that users most often have at hand comes first. */
const preferred: readonly StepUpWay[] = ['authenticator', 'password', 'passkey'];

/** Asks the user to prove again who they are, by any method of the account. Escape cancels. */
export function StepUpDialog({ request: { ways, satisfy, cancel } }: StepUpDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [title, lead] = [useId(), useId()];
  const usable = preferred.filter((way) => ways.includes(way) && (way !== 'passkey' || hasPasskeys()));
  const [way, choose] = useState(usable[0]);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closing returns the focus to the button that sent the request.
    return () => current?.close();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another method replaces the focused element
  useEffect(() => {
    dialog.current?.querySelector<HTMLElement>('input:not([hidden]), button')?.focus();
  }, [way]);
  const others = usable.filter((one) => one !== way);
  const props = { satisfy, cancel, others, choose };
  return (
    <Dialog ref={dialog} labelledBy={title} describedBy={lead} cancel={cancel}>
      <h2 id={title} className={css.title}>
        <Text id="second_step.page" />
      </h2>
      <p id={lead} className={css.lead}>
        <Text id="step_up.lead" />
      </p>
      <InStepUp value={true}>
        {way === 'password' && <StepUpByPassword {...props} />}
        {way === 'authenticator' && <StepUpByCode {...props} />}
        {way === 'passkey' && <StepUpByPasskey {...props} />}
      </InStepUp>
      {way === undefined && (
        <>
          <Notice kind="info">
            <Text id="passkey.unsupported" />
          </Notice>
          <StepUpMethods others={[]} choose={choose} cancel={cancel} />
        </>
      )}
    </Dialog>
  );
}
