import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';

/** Someone with the password asked to remove the second step. Any session can stop that. Takes ISO 8601. */
export function Removal({ at }: { at: string }) {
  const { when } = useTimes();
  const { start, restart, state, error } = useRequest(async (signal) => {
    const { keepSecondStep } = await import('./second-step-settings.contract.ts');
    await sendRequest(keepSecondStep, { body: {}, signal });
    notifyAccountChanged();
  });
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
