import { Text } from '../../browser/language/text.tsx';
import { useProgress } from '../../browser/navigation/navigation.tsx';
import css from './loading.module.css';
import { RetryNotice } from './overdue.tsx';

/** Shows that the next page is loading, if that takes longer than a second, or why it does not load. */
export function Loading() {
  const { slow, unanswered } = useProgress();
  const isSlow = slow && !unanswered;
  return (
    <>
      <div role="status" className={isSlow ? css.loading : undefined}>
        {isSlow && <Text id="frame.loading" />}
      </div>
      {unanswered && (
        <div className={css.unanswered}>
          <RetryNotice {...unanswered} />
        </div>
      )}
    </>
  );
}
