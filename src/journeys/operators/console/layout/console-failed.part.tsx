import type { RequestFailure } from '../../../../browser/requests/request-status.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import type { FailureMessage } from '../../../../messages/proofs.ts';
import { Failed, Notice } from '../../../../ui/feedback/feedback.tsx';
import { AccountUnread } from '../../../../ui/layouts/account-layout.tsx';

/** Failures that only operators get in a browser, so that the texts of other pages do not contain them. */
const ownTexts: Readonly<Record<string, MessageId>> = {
  role_insufficient: 'console.not_allowed',
  last_owner: 'console.last_owner',
  invitation_invalid: 'console_invitation.invalid',
  promo_code_exists: 'console_promo.exists',
  webhook_exists: 'console_webhooks.exists',
  webhook_limit_reached: 'console_webhooks.limit',
};

const textsOfJobs: Readonly<Record<string, MessageId>> = {
  ...ownTexts,
  not_found: 'console_person.gone',
  too_many_mails: 'console_job.too_many_mails',
};

/** Why an act for one of several people failed. */
export const reasonOf = (code: string): MessageId => textsOfJobs[code] ?? (`failure.${code}` as FailureMessage);

/** Explains why a request of an operator failed. */
export function ConsoleFailed({ failure }: { failure: RequestFailure | undefined }) {
  const own = failure && ownTexts[failure.code];
  if (!own) return <Failed failure={failure} />;
  return <Notice kind="danger" role="alert" text={own} />;
}

/** Replaces what is loading, or says why it failed to load. */
export const ConsoleUnread = ({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) =>
  failure && ownTexts[failure.code] ? (
    <ConsoleFailed failure={failure} />
  ) : (
    <AccountUnread failure={failure} retry={retry} />
  );
