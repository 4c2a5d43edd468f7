import { Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { historyHours, historyLength } from '../../../contract/computers/device-history.ts';
import { days } from '../../../contract/durations.ts';
import { languageOf } from '../../../contract/languages.ts';
import { Sheet, SheetPart } from '../../../ui/layouts/sheet.tsx';
import { anchorAt } from '../devices/strip.part.tsx';
import { ChartFrame, ChartShare, ChartTable } from './chart.part.tsx';
import { type Day, daysOf, shownDays, spansOfDay } from './month.part.ts';
import css from './month-chart.module.css';

interface MonthChartProps {
  readonly history: string;
  /** The end of the month: milliseconds since the epoch. */
  readonly at: number;
}

/** The last 30 days of a device: a column for each day, a row for each three hours, darker where it sent more. */
export function MonthChart({ history, at }: MonthChartProps) {
  const t = useText();
  const { day, share } = useTimes();
  const month = daysOf(history, at);
  // A device is not active before it was added, so the share is of all hours, as that of the last day.
  const active = month.flatMap(({ spans }) => spans).reduce<number>((sum, part = 0) => sum + part, 0);
  const words = share(active / historyLength);
  return (
    <Sheet
      title="devices.month"
      aside={
        <ChartShare>
          <Text id="device.active_month" values={{ share: words }} />
        </ChartShare>
      }
    >
      <SheetPart>
        <ChartFrame>
          <div className={css.grid}>
            <Hours at={at} />
            <svg
              className={css.month}
              viewBox={`0 0 ${shownDays} ${spansOfDay}`}
              preserveAspectRatio="none"
              role="img"
              aria-label={t('device.active_month', { share: words })}
            >
              {month.flatMap(({ start, spans }, column) =>
                spans.map((part, row) => (
                  <rect
                    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its place
                    key={`${start} ${row}`}
                    className={part ? css.signal : css.gap}
                    x={column + 0.08}
                    y={row + 0.06}
                    width={0.84}
                    height={0.88}
                    {...(part && { fillOpacity: 0.25 + 0.75 * part })}
                    {...(part === undefined && { fillOpacity: 0.35 })}
                  />
                )),
              )}
            </svg>
            <DayLabels month={month} />
          </div>
        </ChartFrame>
        <ChartTable title="devices.month" rows={rowsOf(month, day, share)} />
      </SheetPart>
    </Sheet>
  );
}

/** The newest day first, without unknown days. */
const rowsOf = (month: readonly Day[], day: (at: number) => string, share: (part: number) => string) =>
  month.toReversed().flatMap(({ start, spans }) => {
    const known = spans.filter((part) => part !== undefined);
    const sum = known.reduce((total, part) => total + part, 0);
    return known.length > 0 ? [[day(start), share(sum / known.length)] as const] : [];
  });

/** Every other row's hour. */
function Hours({ at }: { at: number }) {
  const { hour } = useTimes();
  const midnight = new Date(at).setHours(0, 0, 0, 0);
  return (
    <div className={css.hours} aria-hidden="true">
      {[0, 2, 4, 6].map((row) => (
        <span key={row}>{hour(new Date(midnight).setHours(row * historyHours))}</span>
      ))}
    </div>
  );
}

/** The date of each seventh day, counted from today. */
function DayLabels({ month }: { month: readonly Day[] }) {
  const { shortDay } = useTimes();
  const mirrored = languageOf(usePage().language).dir === 'rtl';
  return (
    <svg className={css.days} aria-hidden="true">
      {month.map(({ start }, column) => {
        if ((shownDays - 1 - column) % 7 !== 0) return null;
        const part = (column + 0.5) / shownDays;
        return (
          <text key={start} x={`${100 * (mirrored ? 1 - part : part)}%`} y="1em" textAnchor={anchorAt(part)}>
            {shortDay(start + days(0.5))}
          </text>
        );
      })}
    </svg>
  );
}
