import { Text } from '../../../browser/language/text.tsx';
import type { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { Failed, Notice } from '../../../ui/feedback/notice.tsx';

/** Explains why no passkey was added. */
export function CreationFailed({ failure }: { failure: RequestFailure | undefined }) {
  if (failure?.code !== 'passkey_refused' || failure.limit === undefined) return <Failed failure={failure} />;
  return (
    <Notice kind="danger" role="alert">
      <Text id="security.passkey_limit" values={{ limit: failure.limit }} />
    </Notice>
  );
}
