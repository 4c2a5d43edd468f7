import { Text } from '../../browser/language/text.tsx';
import { useProgress } from '../../browser/navigation/navigation.tsx';
import css from './loading.module.css';
import { Unanswered } from './unanswered.tsx';

/** Says that the next page is on its way, once that takes longer than a second, and when it does not come. */
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
          <Unanswered {...unanswered} />
        </div>
      )}
    </>
  );
}
