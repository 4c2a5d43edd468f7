import { Text } from '../../browser/language/text.tsx';
import { useSlow } from '../../browser/navigation/navigation.tsx';
import css from './loading.module.css';

/** Says that the next page is on its way, once that takes longer than a second. */
export function Loading() {
  const slow = useSlow();
  return (
    <div role="status" className={slow ? css.loading : undefined}>
      {slow && <Text id="frame.loading" />}
    </div>
  );
}
