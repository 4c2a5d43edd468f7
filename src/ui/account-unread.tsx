import type { CallFailure } from '../browser/call-failure.ts';
import { Text } from '../browser/text.tsx';
import button from './button.module.css';
import card from './card.module.css';
import { Notice } from './notice.tsx';

/** In place of what belongs to an account, until that has been read, and when it cannot be. */
export function AccountUnread({ failure, retry }: { failure: CallFailure | undefined; retry: () => void }) {
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
