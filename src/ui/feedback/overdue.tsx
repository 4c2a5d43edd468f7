import { Text } from '../../browser/language/text.tsx';
import { useOverdue } from '../../browser/requests/overdue.ts';
import type { MessageId } from '../../messages/ids.ts';
import { TextButton } from '../text-button.tsx';
import { Notice } from './notice.tsx';

/** Reports a missing response and offers a retry. */
export const RetryNotice = ({ message, retry }: { message: MessageId; retry: (() => void) | undefined }) => (
  <Notice kind="info" role="alert">
    <p>
      <Text id={message} />
    </p>
    {retry && (
      <TextButton onClick={retry}>
        <Text id="error_page.retry" />
      </TextButton>
    )}
  </Notice>
);

/** Shows `RetryNotice` once the user has waited for too long. */
export const Overdue = ({ waiting, retry }: { waiting: boolean; retry?: (() => void) | undefined }) =>
  useOverdue(waiting) ? <RetryNotice message="frame.overdue" retry={retry} /> : null;
