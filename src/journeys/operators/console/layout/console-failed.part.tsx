import { Text } from '../../../../browser/language/text.tsx';
import type { RequestFailure } from '../../../../browser/requests/request-failure.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Failed, Notice } from '../../../../ui/feedback/feedback.tsx';
import { AccountUnread } from '../../../../ui/layouts/account-layout.tsx';

/** Failures that only operators get in a browser, so that the texts of other pages do not contain them. */
const ownTexts: Readonly<Record<string, MessageId>> = {
  role_insufficient: 'console.not_allowed',
  last_owner: 'console.last_owner',
  invitation_invalid: 'console_invitation.invalid',
};

/** Explains why a request of an operator failed. */
export function ConsoleFailed({ failure }: { failure: RequestFailure | undefined }) {
  const own = failure && ownTexts[failure.code];
  if (!own) return <Failed failure={failure} />;
  return (
    <Notice kind="danger" role="alert">
      <Text id={own} />
    </Notice>
  );
}

/** Replaces what is loading, or says why it failed to load. */
export const ConsoleUnread = ({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) =>
  failure && ownTexts[failure.code] ? (
    <ConsoleFailed failure={failure} />
  ) : (
    <AccountUnread failure={failure} retry={retry} />
  );
