import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useStep } from '../../browser/navigation/history.ts';
import { forgetLink, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/feedback.tsx';
import { Stack, StepTitle, Title } from '../../ui/layouts/card.tsx';
import { ClearLayout } from '../../ui/layouts/frame.tsx';
import { IncompleteLink, useIncompleteLink } from '../recover-password/link-outcomes.part.tsx';

/**
 * Stops the removal of the second step, with the link of the email about it. Opening the page changes nothing, because
 * mail scanners open links.
 */
export default function KeepSecondStep() {
  const { hash = '' } = useKeptQuery().link ?? {};
  const [outcome, enter] = useStep<'kept'>();
  const isIncomplete = useIncompleteLink(hash);
  const keeping = useRequest(async (signal) => {
    const { stopRemoval } = await import('./second-step.contract.ts');
    await sendRequest(stopRemoval, { body: { hash }, signal });
    enter('kept', true);
    forgetLink();
  });
  if (outcome === 'kept') return <Kept />;
  return (
    <ClearLayout>
      <Title lead={!isIncomplete && <Text id="keep_second_step.lead" />}>
        <Text id="keep_second_step.page" />
      </Title>
      {isIncomplete ? (
        <IncompleteLink to="/account/security/" />
      ) : (
        <Stack>
          {keeping.error && (
            <Notice kind="danger" role="alert">
              {keeping.error.code === 'confirmation_link_expired' ? (
                <Text id="change_email.expired" />
              ) : (
                <Text {...keeping.error.text} />
              )}
            </Notice>
          )}
          <Button label="security.removal_stop" request={keeping} />
        </Stack>
      )}
    </ClearLayout>
  );
}

const Kept = () => (
  <ClearLayout>
    <StepTitle title="keep_second_step.done" />
    <Stack>
      <Paragraph id="keep_second_step.done_text" />
      <Stack tight>
        <ButtonLink to="/recovery/" label="reset.title" />
        <ButtonLink to="/" label="reset.sign_in" quiet />
      </Stack>
    </Stack>
  </ClearLayout>
);
