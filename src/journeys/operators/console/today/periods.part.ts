import type { StatisticsSeries } from '../../../../contract/console.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { days, hours } from '../../../../contract/units.ts';
import type { readStatistics } from '../../service.contract.ts';

export type Counted = ResponseBody<typeof readStatistics>['items'];

export type Values = Readonly<Record<string, number>>;

/** The lengths of time that an operator can look at. */
export const ranges = { day: 'hour', week: 'day', month: 'day' } as const;
export type Range = keyof typeof ranges;

const counts: Readonly<Record<Range, number>> = { day: 24, week: 7, month: 30 };

/** The beginnings of the periods of a range, the oldest first (ms since the epoch), the last of which is now. */
export function startsOf(range: Range, now: number): readonly number[] {
  const length = ranges[range] === 'hour' ? hours(1) : days(1);
  const last = Math.floor(now / length) * length;
  return Array.from({ length: counts[range] }, (_, at) => last - (counts[range] - 1 - at) * length);
}

/** What was counted in each period; undefined where nothing was. */
export function valuesOf(counted: Counted, series: StatisticsSeries, starts: readonly number[]) {
  const known = new Map(
    counted.filter((one) => one.series === series).map(({ at, values }) => [Date.parse(at), values]),
  );
  return starts.map((start) => known.get(start));
}

/** All periods together. */
export function sumOf(all: readonly (Values | undefined)[]): Values {
  const total: Record<string, number> = {};
  for (const values of all)
    for (const [label, count] of Object.entries(values ?? {})) total[label] = (total[label] ?? 0) + count;
  return total;
}

/** The counts whose labels begin so, together. */
export const sumWhere = (values: Values | undefined, isMeant: (label: string) => boolean): number =>
  Object.entries(values ?? {}).reduce((sum, [label, count]) => (isMeant(label) ? sum + count : sum), 0);
