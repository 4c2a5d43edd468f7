import { useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import css from './signs.module.css';

const height = 16;
const [high, low] = [2, height - 2];

/** The last day's heartbeats as a line: high for quarters with a heartbeat, low for those without. */
export function Signs({ signs }: { signs: string }) {
  const t = useText();
  const { share } = useTimes();
  const quarters = [...signs].map((sign) => sign === '1');
  const levels = quarters.map((alive) => (alive ? high : low));
  const steps = levels.map((level, at) => `V${level}H${at + 1}`);
  const part = quarters.filter(Boolean).length / Math.max(1, quarters.length);
  return (
    <svg
      className={css.signs}
      viewBox={`0 0 ${Math.max(1, quarters.length)} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('dashboard.signs', { share: share(part) })}
    >
      <path className={css.line} d={`M0 ${levels[0] ?? low}${steps.join('')}`} />
    </svg>
  );
}
