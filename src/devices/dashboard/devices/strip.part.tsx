import { Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { languageOf } from '../../../contract/languages.ts';
import { days, hours, minutes } from '../../../contract/units.ts';
import css from './strip.module.css';

/** Rectangles for the runs of quarters with a heartbeat, as one path. */
function runsOf(signs: string): string {
  return [...signs.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index} 0h${run.length}v1h-${run.length}z`).join('');
}

const shareOf = (signs: string): number => [...signs].filter((sign) => sign === '1').length / Math.max(1, signs.length);

/** The last day of a device as a strip: filled where it sent heartbeats. */
export function Strip({ signs, tall = false }: { signs: string; tall?: boolean }) {
  const t = useText();
  const { share } = useTimes();
  return (
    <svg
      className={tall ? `${css.strip} ${css.tall}` : css.strip}
      viewBox={`0 0 ${Math.max(1, signs.length)} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('dashboard.signs', { share: share(shareOf(signs)) })}
    >
      <path className={css.signal} d={runsOf(signs)} />
    </svg>
  );
}

/** More labels need twice the width (`strip.module.css`). */
const fewLabels = 5;

interface AxisProps {
  /** The end of the strip: milliseconds since the epoch. */
  readonly at: number;
  /** Hours between two labels. */
  readonly step: number;
}

/** The hours below or above a strip, in the browser's time zone. */
export function DayAxis({ at, step }: AxisProps) {
  const { hour } = useTimes();
  const mirrored = languageOf(usePage().language).dir === 'rtl';
  const end = Math.ceil(at / minutes(15)) * minutes(15);
  const ticks = hoursBetween(end - days(1), end).filter((time) => new Date(time).getHours() % step === 0);
  return (
    <div className={css.frame}>
      <svg className={ticks.length > fewLabels ? `${css.axis} ${css.dense}` : css.axis} aria-hidden="true">
        {ticks.map((time) => {
          const part = (time - end + days(1)) / days(1);
          return (
            <text key={time} x={`${100 * (mirrored ? 1 - part : part)}%`} y="1em" textAnchor={anchorAt(part)}>
              {hour(time)}
            </text>
          );
        })}
      </svg>
    </div>
  );
}

/** A label at an end of the axis does not reach beyond it. */
export function anchorAt(part: number) {
  if (part < 0.02) return 'start';
  return part > 0.98 ? 'end' : 'middle';
}

/** Full hours of the browser's time zone, which may be half an hour off ours. */
function hoursBetween(start: number, end: number): number[] {
  const first = new Date(start);
  first.setMinutes(60, 0, 0);
  const count = Math.floor((end - first.getTime()) / hours(1));
  return Array.from({ length: Math.max(0, count + 1) }, (_, at) => first.getTime() + at * hours(1));
}

/** What the two colors of a strip mean. */
export const Legend = () => (
  <p className={css.legend}>
    <span className={css.key}>
      <span className={`${css.swatch} ${css.filled}`} aria-hidden="true" />
      <Text id="devices.signal" />
    </span>
    <span className={css.key}>
      <span className={css.swatch} aria-hidden="true" />
      <Text id="devices.no_signal" />
    </span>
  </p>
);
