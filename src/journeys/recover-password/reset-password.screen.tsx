import { useEffect } from 'react';
import { Paragraph } from '../../browser/language/text.tsx';
import { shownStep, useStep } from '../../browser/navigation/history.ts';
import { forgetLink, keptQuery, type MailLink, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { takePlaceOfLink } from '../../browser/navigation/last-place.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Overdue } from '../../ui/feedback/feedback.tsx';
import { Stack, Title } from '../../ui/layouts/card.tsx';
import { ClearLayout } from '../../ui/layouts/frame.tsx';
import { LinkExpired, LinkUsed, PasswordSet } from './link-outcomes.part.tsx';
import { NewPassword } from './new-password.part.tsx';

/** The final state; it survives a reload. */
type Outcome = 'set' | 'first' | 'used' | 'expired' | 'first_expired';

/** Sets a new password, or the first one of someone who was invited, with an emailed link. Only the form consumes the link; opening it changes nothing. */
export default function ResetPassword() {
  const { link } = useKeptQuery();
  const [outcome, enter] = useStep<Outcome>();
  const refused = (used?: boolean) => {
    const isFirst = keptQuery.read().link?.first;
    forgetLink();
    if (used) enter('used', true);
    else enter(isFirst ? 'first_expired' : 'expired', true);
  };
  const check = useRequest(
    async (signal) => {
      // Read here, because the first render matches the server's page, which lacks the link's parameters.
      const { email, hash } = keptQuery.read().link as MailLink;
      const { checkResetLink } = await import('./recover-password.contract.ts');
      await sendRequest(checkResetLink, { body: { email, hash }, signal });
    },
    { onError: ({ code, used }) => code === 'reset_link_invalid' && refused(used) },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the link arrives
  useEffect(() => {
    // A new link replaces an outcome in the tab's history. Without a link, there is nothing to check.
    if (keptQuery.read().link) {
      takePlaceOfLink();
      enter(undefined, true);
      void check.start();
    } else if (!shownStep()) refused();
  }, []);

  if (outcome === 'set' || outcome === 'first') return <PasswordSet first={outcome === 'first'} />;
  if (outcome === 'used') return <LinkUsed />;
  if (outcome === 'expired' || outcome === 'first_expired') return <LinkExpired first={outcome === 'first_expired'} />;
  return (
    <ClearLayout>
      <Title text={link?.first ? 'security.password_set' : 'reset.title'} />
      {check.state === 'success' && link && (
        <NewPassword {...link} done={() => enter(link.first ? 'first' : 'set', true)} expired={refused} />
      )}
      {!check.error && check.state !== 'success' && <Paragraph role="status" id="reset.checking" />}
      <Overdue waiting={check.state === 'pending'} retry={check.restart} />
      {check.error && (
        <Stack>
          <Failed failure={check.error} />
          <Button label="form.retry" onClick={() => void check.start()} />
        </Stack>
      )}
    </ClearLayout>
  );
}
