import { Text } from '../../../browser/language/text.tsx';
import { forgetLink, keepEmail, keepLink, useKeptQuery } from '../../../browser/navigation/kept-query.ts';
import { useStep } from '../../../browser/navigation/step.ts';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { mayHaveSession } from '../../../browser/requests/session.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { ClearLayout } from '../../../ui/layouts/clear-layout.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';
import { StepTitle, Title } from '../../../ui/layouts/title.tsx';
import { NewPassword } from '../../recover-password/new-password.part.tsx';
import { LinkExpired, PasswordSet } from '../../recover-password/reset-outcomes.part.tsx';
import { IncompleteLink, useIncompleteLink } from './incomplete-link.part.tsx';

/** The final state; it survives a reload. */
type Outcome = 'changed' | 'undone' | 'set' | 'expired';

/**
 * Confirms a new address, with the link sent to it, or undoes the change, with the link sent to the old address.
 * Opening the page changes nothing, because mail scanners open links.
 */
export default function ChangeEmail() {
  const { email = '', hash = '' } = useKeptQuery().link ?? {};
  const [outcome, enter] = useStep<Outcome>();
  const isIncomplete = useIncompleteLink(hash);
  const undoes = hash.startsWith('undo.');
  const change = useRequest(async (signal) => {
    const { changeEmail, undoEmailChange } = await import('./change-email.contract.ts');
    const request = { body: { hash }, signal };
    if (undoes) {
      const undone = await sendRequest(undoEmailChange, request);
      keepEmail(undone.email);
      enter('undone', true);
      keepLink({ email: undone.email, hash: undone.reset, call: '' });
    } else {
      keepEmail(await confirmed(() => sendRequest(changeEmail, request), email));
      enter('changed', true);
      forgetLink();
    }
    notifyAccountChanged();
  });
  if (outcome === 'undone' && hash !== '' && !undoes)
    return (
      <ClearLayout>
        <StepTitle title="change_email.undone" />
        <Stack>
          <p>
            <Text id="change_email.undone_text" />
          </p>
          <NewPassword
            email={email}
            hash={hash}
            done={() => enter('set', true)}
            expired={() => {
              forgetLink();
              enter('expired', true);
            }}
          />
        </Stack>
      </ClearLayout>
    );
  if (outcome === 'set' && hash === '') return <PasswordSet />;
  if (outcome && outcome !== 'changed' && hash === '') return <LinkExpired />;
  if (outcome === 'changed' && hash === '') return <Changed />;
  return (
    <ClearLayout>
      <Title lead={email && <Text id={undoes ? 'change_email.undo_lead' : 'change_email.lead'} values={{ email }} />}>
        <Text id={undoes ? 'change_email.undo_title' : 'change_email.page'} />
      </Title>
      {isIncomplete ? (
        <IncompleteLink to="/account/security/" />
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

/** The address that the account has now. A used link changed it before: the response to that request was lost. */
async function confirmed(send: () => Promise<{ email: string }>, inLink: string): Promise<string> {
  try {
    return (await send()).email;
  } catch (error) {
    if (!(error instanceof RequestFailure && error.used)) throw error;
    return inLink;
  }
}

const Refused = ({ failure: { code, text } }: { failure: RequestFailure }) => (
  <Notice kind="danger" role="alert">
    {code === 'confirmation_link_expired' ? <Text id="change_email.expired" /> : <Text {...text} />}
  </Notice>
);

/** The link may have been opened in another browser than the one that is signed in. */
const Changed = () => (
  <ClearLayout>
    <StepTitle title="change_email.done" />
    {mayHaveSession() ? (
      <ButtonLink to="/account/security/" label="account_security.page" />
    ) : (
      <ButtonLink to="/" label="register.sign_in" />
    )}
  </ClearLayout>
);
