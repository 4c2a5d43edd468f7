import { Text } from '../../../browser/language/text.tsx';
import { focusHeading } from '../../../browser/navigation/focus-heading.ts';
import { useProgress } from '../../../browser/navigation/navigation.tsx';
import { useOverdue } from '../../../browser/requests/overdue.ts';
import type { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { Button } from '../../button.tsx';
import { Failed } from '../../feedback/notice.tsx';
import { RetryNotice } from '../../feedback/overdue.tsx';
import { Card } from '../card.tsx';
import css from './account-unread.module.css';

/** Replaces an account's content while it is loading or if it failed to load. */
export function AccountUnread({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) {
  const isOverdue = useOverdue(!failure);
  // While the session is still being checked, the frame reports the wait.
  const { slow: isReported } = useProgress();
  if (!failure) {
    return (
      <>
        <div className={css.ghost} aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
        <p role="status" className={css.later}>
          {!isReported && <Text id="frame.loading" />}
        </p>
        {isOverdue && !isReported && <RetryNotice message="frame.overdue" retry={retry} />}
      </>
    );
  }
  function tryAgain(): void {
    // The button disappears with the failure.
    focusHeading();
    retry();
  }
  return (
    <Card>
      <Failed failure={failure} />
      <Button label="error_page.retry" narrow onClick={tryAgain} />
    </Card>
  );
}
