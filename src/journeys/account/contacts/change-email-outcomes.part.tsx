import { mayHaveSession } from '../../../browser/requests/session.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { ClearLayout } from '../../../ui/layouts/clear-layout.tsx';
import { StepTitle } from '../../../ui/layouts/title.tsx';
import { LinkOutcome } from '../../recover-password/reset-outcomes.part.tsx';

/** The link may have been opened in another browser than the one that is signed in. */
export const Changed = () => (
  <ClearLayout>
    <StepTitle title="change_email.done" />
    {mayHaveSession() ? (
      <ButtonLink to="/account/security/" label="account_security.page" />
    ) : (
      <ButtonLink to="/" label="register.sign_in" />
    )}
  </ClearLayout>
);

/** The link is too old, or a newer one replaced it: the button could never work again. */
export const ChangeExpired = () => (
  <LinkOutcome title="reset.expired_title" text="change_email.expired">
    <ButtonLink to="/account/security/" label="reset.request_new" />
  </LinkOutcome>
);

/** Another link sets the password, since the first one was in the lost response; an email also contains one. */
export const UndoneBefore = () => (
  <LinkOutcome title="change_email.undone" text="change_email.undone_text">
    <ButtonLink to="/recovery/" label="reset.request_new" />
  </LinkOutcome>
);
