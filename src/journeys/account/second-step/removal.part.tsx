import { useEffect, useRef } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';
import { keepSecondStep } from './second-step-settings.contract.ts';

/**
 * Someone with the password asked to remove the second step. Any session can stop that, which the notice confirms. Takes
 * ISO 8601, or undefined without a planned removal.
 */
export function Removal({ at }: { at: string | undefined }) {
  const confirmation = useRef<HTMLDivElement>(null);
  const { when } = useTimes();
  const { start, restart, state, error } = useRequest(async (signal) => {
    await sendRequest(keepSecondStep, { body: {}, signal });
    notifyAccountChanged();
  });
  const isStopped = state === 'success' && at === undefined;
  // The pressed button disappeared.
  useEffect(() => {
    if (isStopped) confirmation.current?.focus();
  }, [isStopped]);
  if (isStopped) {
    return (
      <Notice kind="success" role="status" ref={confirmation}>
        <Text id="keep_second_step.done" />
      </Notice>
    );
  }
  if (at === undefined) return null;
  return (
    <Notice kind="danger" role="alert">
      <Stack tight>
        <p>
          <Text id="security.removal" dir="auto" values={{ when: when(at) }} />
        </p>
        <Button
          label="security.removal_stop"
          danger
          narrow
          busy={state === 'pending' ? 'form.wait' : undefined}
          onClick={() => void start()}
          retry={restart}
        />
        {error && (
          <p>
            <Text {...error.text} />
          </p>
        )}
      </Stack>
    </Notice>
  );
}
