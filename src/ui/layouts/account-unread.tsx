import { Text } from '../../browser/language/text.tsx';
import type { RequestFailure } from '../../browser/requests/request-failure.ts';
import button from '../button.module.css';
import { Notice } from '../feedback/notice.tsx';
import card from './card.module.css';

/** In place of what belongs to an account, until that has been read, and when it cannot be. */
export function AccountUnread({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) {
  if (!failure) {
    return (
      <p role="status" className={card.later}>
        <Text id="frame.loading" />
      </p>
    );
  }
  return (
    <section className={card.card}>
      <Notice kind="danger" role="alert">
        <Text {...failure.text} />
      </Notice>
      <button type="button" className={button.button} onClick={retry}>
        <Text id="error_page.retry" />
      </button>
    </section>
  );
}
