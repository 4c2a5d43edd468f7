import type { ReactNode } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { languageOf } from '../../../contract/languages.ts';
import { days, hours, minutes } from '../../../contract/units.ts';
import { ChartTable } from '../../../ui/chart-table.tsx';
import { Sheet, SheetPart } from '../../../ui/layouts/card.tsx';
import { historyHours } from '../../contract/record-kinds.ts';
import { anchorAt, DayAxis, Legend, Strip } from '../devices/strip.part.tsx';
import css from './charts.module.css';
import { activeIn, type Day, daysOf, partSince, shownDays, spansOfDay } from './month.part.ts';

/** A chart with its axes. */
const ChartFrame = ({ children }: { children: ReactNode }) => <div className={css.frame}>{children}</div>;

/** The time with signals, beside the chart's title. */
const ChartShare = ({ children }: { children: ReactNode }) => <p className={css.share}>{children}</p>;

const signals = ['devices.signal'] as const;
const quarter = minutes(15);

interface ChartProps {
  /** When the device was added, and the end of the chart: milliseconds since the epoch. */
  readonly added: number;
  readonly at: number;
}

interface DayChartProps extends ChartProps {
  readonly signs: string;
}

/** The last 24 hours of a device by quarter hours. */
export function DayChart({ signs, added, at }: DayChartProps) {
  const { hour, share } = useTimes();
  const rows = hourlyShares(signs, at).map(({ start, part }) => [hour(start), share(part)] as const);
  const { part, isWhole } = partSince(activeIn(signs), { added, at, period: days(1) });
  return (
    <Sheet
      title="devices.day"
      aside={
        <ChartShare>
          <Text id={isWhole ? 'dashboard.signs' : 'device.active_since'} values={{ share: share(part) }} />
        </ChartShare>
      }
    >
      <SheetPart>
        <ChartFrame>
          <Strip signs={signs} tall />
          <DayAxis at={at} step={3} />
        </ChartFrame>
        <ChartTable title="devices.day" columns={signals} rows={rows}>
          <Legend />
        </ChartTable>
      </SheetPart>
    </Sheet>
  );
}

/** The part of each hour with a heartbeat, by hours of the browser's time zone. */
function hourlyShares(signs: string, at: number): { start: number; part: number }[] {
  const first = Math.floor(at / quarter) * quarter - (signs.length - 1) * quarter;
  const found = new Map<number, { alive: number; all: number }>();
  for (const [place, sign] of [...signs].entries()) {
    const start = Math.floor((first + place * quarter) / hours(1)) * hours(1);
    const { alive, all } = found.get(start) ?? { alive: 0, all: 0 };
    found.set(start, { alive: alive + (sign === '1' ? 1 : 0), all: all + 1 });
  }
  return [...found].map(([start, { alive, all }]) => ({ start, part: alive / all }));
}

interface MonthChartProps extends ChartProps {
  readonly history: string;
}

/** The last 30 days of a device: a column for each day, a row for each three hours, darker where it sent more. */
export function MonthChart({ history, added, at }: MonthChartProps) {
  const t = useText();
  const { day, share } = useTimes();
  const month = daysOf(history, at);
  const { part: active, isWhole } = partSince(activeIn(history), { added, at, period: days(shownDays) });
  const id = isWhole ? 'device.active_month' : 'device.active_since';
  const values = { share: share(active) };
  return (
    <Sheet
      title="devices.month"
      aside={
        <ChartShare>
          <Text id={id} values={values} />
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
              aria-label={t(id, values)}
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
        <ChartTable title="devices.month" columns={signals} rows={rowsOf(month, day, share)}>
          <Legend />
        </ChartTable>
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
