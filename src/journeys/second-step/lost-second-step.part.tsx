import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { RequestFailure } from '../../browser/requests/request-failure.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { hours } from '../../contract/units.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/feedback.tsx';
import { Stack, StepTitle } from '../../ui/layouts/card.tsx';

interface LostProps {
  /** When a requested removal takes effect: ISO 8601. */
  removalAt: string | null;
  requested: (at: string) => void;
  /** The pending sign-in has expired. */
  over: () => void;
  /** Returns to the other methods. */
  back: () => void;
}

/** Explains and requests the removal of a second step whose owner has lost every method. */
export function Lost({ removalAt, requested, over, back }: LostProps) {
  const { when } = useTimes();
  const { secondStepRemovalHours } = usePage().settings;
  const wouldBeAt = new Date(Date.now() + hours(secondStepRemovalHours)).toISOString();
  const asking = useRequest(async (signal) => {
    const { secondStepLost } = await import('./second-step.contract.ts');
    try {
      requested((await sendRequest(secondStepLost, { body: {}, signal })).removal_at);
    } catch (failure) {
      if (failure instanceof RequestFailure && failure.code === 'sign_in_expired') return over();
      throw failure;
    }
  });
  if (removalAt !== null)
    return (
      <>
        <StepTitle key="planned" title="second_step.lost_done" />
        <Stack>
          <Notice kind="success">
            <Paragraph id="second_step.removal_at" dir="auto" values={{ when: when(removalAt) }} />
          </Notice>
          <Paragraph id="second_step.lost_next" />
          <Button label="second_step.other" quiet onClick={back} />
        </Stack>
      </>
    );
  return (
    <>
      <StepTitle title="second_step.lost_title" />
      <Stack>
        <p>
          <Text id="second_step.lost_text" />{' '}
          <Text id="second_step.removal_at" dir="auto" values={{ when: when(wouldBeAt) }} />
        </p>
        <Paragraph id="second_step.lost_wait" />
        <Failed failure={asking.error} />
        <Stack tight>
          <Button label="second_step.lost_submit" danger request={asking} />
          <Button label="second_step.other" plain onClick={back} />
        </Stack>
      </Stack>
    </>
  );
}

/** When the second step will be removed, if someone with the password requested that. Takes ISO 8601. */
export function RemovalPlanned({ at }: { at: string | null }) {
  const { when } = useTimes();
  if (at === null) return null;
  return (
    <Notice kind="info">
      <Paragraph id="second_step.removal_at" dir="auto" values={{ when: when(at) }} />
    </Notice>
  );
}
