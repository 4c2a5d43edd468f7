import { Text } from '../../../browser/language/text.tsx';
import { forgetLink, keepEmail, useKeptQuery } from '../../../browser/navigation/kept-query.ts';
import { useStep } from '../../../browser/navigation/step.ts';
import { tellAccountChanged } from '../../../browser/requests/account-changes.ts';
import type { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { ClearLayout } from '../../../ui/layouts/clear-layout.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';
import { StepTitle, Title } from '../../../ui/layouts/title.tsx';
import { IncompleteLink, useIncompleteLink } from './incomplete-link.part.tsx';

/**
 * Behind the link to a new address, which confirms it, and the one to the old, which takes that back. Opening either
 * changes nothing, because mail scanners do that, too.
 */
export default function ChangeEmail() {
  const { email = '', hash = '' } = useKeptQuery().link ?? {};
  const [done, enter] = useStep<'changed' | 'undone'>();
  const isIncomplete = useIncompleteLink(hash);
  const undoes = hash.startsWith('undo.');
  const change = useRequest(async (signal) => {
    const { changeEmail, undoEmailChange } = await import('./change-email.contract.ts');
    const { email: now } = await sendRequest(undoes ? undoEmailChange : changeEmail, { body: { hash }, signal });
    keepEmail(now);
    tellAccountChanged();
    enter(undoes ? 'undone' : 'changed', true);
    forgetLink();
  });
  if (done && hash === '') return done === 'undone' ? <Undone /> : <Changed />;
  return (
    <ClearLayout>
      <Title lead={email && <Text id={undoes ? 'change_email.undo_lead' : 'change_email.lead'} values={{ email }} />}>
        <Text id={undoes ? 'change_email.undo_title' : 'change_email.page'} />
      </Title>
      {isIncomplete ? (
        <IncompleteLink to="/account/" />
      ) : (
        <Stack>
          {change.error && <Refused failure={change.error} />}
          <Button
            label={undoes ? 'change_email.undo_title' : 'change_email.submit'}
            busy={change.state === 'pending' ? 'form.wait' : undefined}
            onClick={() => void change.start()}
            retry={change.restart}
          />
        </Stack>
      )}
    </ClearLayout>
  );
}

const Refused = ({ failure: { code, text } }: { failure: RequestFailure }) => (
  <Notice kind="danger" role="alert">
    {code === 'confirmation_link_expired' ? <Text id="change_email.expired" /> : <Text {...text} />}
  </Notice>
);

const Changed = () => (
  <ClearLayout>
    <StepTitle title="change_email.done" />
    <ButtonLink to="/" label="register.sign_in" />
  </ClearLayout>
);

const Undone = () => (
  <ClearLayout>
    <StepTitle title="change_email.undone" />
    <Stack>
      <p>
        <Text id="change_email.undone_text" />
      </p>
      <ButtonLink to="/recovery/" label="change_email.set_password" />
    </Stack>
  </ClearLayout>
);
