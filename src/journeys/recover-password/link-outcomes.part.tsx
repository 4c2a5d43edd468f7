import { type ReactNode, useLayoutEffect, useState } from 'react';
import { Paragraph } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/feedback.tsx';
import { Stack, StepTitle } from '../../ui/layouts/card.tsx';
import { ClearLayout } from '../../ui/layouts/frame.tsx';

interface LinkOutcomeProps {
  title: MessageId;
  text: MessageId;
  /** The next step. */
  children: ReactNode;
}

/** What became of the link in an email, and how to continue. Takes the focus. */
export const LinkOutcome = ({ title, text, children }: LinkOutcomeProps) => (
  <ClearLayout>
    <StepTitle title={title} />
    <Stack>
      <Paragraph id={text} />
      {children}
    </Stack>
  </ClearLayout>
);

/** The password is set. A reset starts no session, so the next step is to sign in. `first`: there was none to end. */
export const PasswordSet = ({ first = false }: { first?: boolean }) => (
  <ClearLayout>
    <StepTitle title={first ? 'reset.first_success' : 'reset.success'} />
    <Stack>
      {!first && <Notice kind="success" text="reset.success_lead" />}
      <ButtonLink to="/" label="reset.sign_in" />
    </Stack>
  </ClearLayout>
);

/** The link was used, or the account has changed since: its owner probably has a password. */
export const LinkUsed = () => (
  <LinkOutcome title="reset.used_title" text="reset.used">
    <Stack tight>
      <ButtonLink to="/" label="reset.sign_in" />
      <ButtonLink to="/recovery/" label="reset.request_new" quiet />
    </Stack>
  </LinkOutcome>
);

/** The link has expired, or is invalid. `first`: of someone who was invited. */
export const LinkExpired = ({ first = false }: { first?: boolean }) => (
  <LinkOutcome title="reset.expired_title" text={first ? 'reset.first_expired' : 'failure.reset_link_invalid'}>
    <ButtonLink to="/recovery/" label="reset.request_new" />
  </LinkOutcome>
);

/** Whether parameters of the link are missing; false before hydration, since the server renders without the link. */
export function useIncompleteLink(...parts: readonly string[]): boolean {
  const [isAlive, setAlive] = useState(false);
  useLayoutEffect(() => setAlive(true), []);
  return isAlive && parts.includes('');
}

/** Replaces a button that could not work; `to` is the page that requests another link. */
export const IncompleteLink = ({ to }: { to: '/account/security/' | '/register/' }) => (
  <Stack>
    <Notice kind="danger" role="alert" text="link.incomplete" />
    <ButtonLink to={to} label="reset.request_new" />
  </Stack>
);
