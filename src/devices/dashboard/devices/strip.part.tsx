import { Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { languageOf } from '../../../contract/languages.ts';
import { days, hours, minutes } from '../../../contract/units.ts';
import { quartersShown } from '../../contract/computers.ts';
import css from './strip.module.css';

/** Rectangles for the runs of quarters that a pattern finds, as one path. */
function runsOf(signs: string, pattern: RegExp): string {
  const first = quartersShown - signs.length;
  const rectangle = (index: number, { length }: string) => `M${first + index} 0h${length}v1h-${length}z`;
  return [...signs.matchAll(pattern)].map(({ index, 0: run }) => rectangle(index, run)).join('');
}

const shareOf = (signs: string): number => [...signs].filter((sign) => sign === '1').length / Math.max(1, signs.length);

/** Whether the device was added within the day that its strip shows. */
export const isNewIn = (signs: string): boolean => signs.length < quartersShown;

/** The last day of a device as a strip: filled where it sent heartbeats, pale before it was added. */
export function Strip({ signs, tall = false }: { signs: string; tall?: boolean }) {
  const t = useText();
  const { share } = useTimes();
  return (
    <svg
      className={tall ? `${css.strip} ${css.tall}` : css.strip}
      viewBox={`0 0 ${quartersShown} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t(isNewIn(signs) ? 'device.active_since' : 'dashboard.signs', { share: share(shareOf(signs)) })}
    >
      <path className={css.gap} d={runsOf(signs, /0+/g)} />
      <path className={css.signal} d={runsOf(signs, /1+/g)} />
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
