import { Text } from '../../../browser/language/text.tsx';
import { useStep } from '../../../browser/navigation/history.ts';
import { forgetLink, useKeptQuery } from '../../../browser/navigation/kept-query.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { Stack, StepTitle, Title } from '../../../ui/layouts/card.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import { IncompleteLink, LinkOutcome, useIncompleteLink } from '../../recover-password/link-outcomes.part.tsx';

/** The page of the emailed link. Opening it changes nothing, because mail scanners also open links. */
export default function ConfirmMail() {
  const { call = '', hash = '' } = useKeptQuery().link ?? {};
  const [done, enter] = useStep<true>();
  const isIncomplete = useIncompleteLink(call, hash);
  const confirm = useRequest(async (signal) => {
    const { confirmMail } = await import('../confirm-phone.contract.ts');
    await sendRequest(confirmMail, { body: { call, secret: hash }, signal });
    enter(true, true);
    forgetLink();
  });
  if (done && hash === '') return <Done />;
  const { error } = confirm;
  if (error?.code === 'confirmation_link_expired') return <Expired />;
  return (
    <ClearLayout>
      <Title lead={!isIncomplete && <Text id="confirm_mail.lead" />}>
        <Text id="confirm_mail.page" />
      </Title>
      {isIncomplete ? (
        <IncompleteLink to="/register/" />
      ) : (
        <Stack>
          <Failed failure={error} />
          <Button label="confirm_mail.submit" request={confirm} />
        </Stack>
      )}
    </ClearLayout>
  );
}

/** The link is too old or was used, or a newer one replaced it: the button could never work again. */
const Expired = () => (
  <LinkOutcome title="reset.expired_title" text="failure.confirmation_link_expired">
    <ButtonLink to="/register/" label="reset.request_new" />
  </LinkOutcome>
);

const Done = () => (
  <ClearLayout>
    <StepTitle title="confirm_mail.done_title" />
    <Notice kind="success" text="confirm_mail.done" />
  </ClearLayout>
);
