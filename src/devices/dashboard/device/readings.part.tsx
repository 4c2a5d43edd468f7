import type { ReactNode } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { localeOf } from '../../../contract/languages.ts';
import { hours, seconds } from '../../../contract/units.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { ChartTable } from '../../../ui/chart-table.tsx';
import { Sheet, SheetPart } from '../../../ui/layouts/card.tsx';
import type { readComputer } from '../../contract/computers.ts';
import { type Trended, trended, trendLength } from '../../contract/readings.ts';
import { historyHours } from '../../contract/record-kinds.ts';
import css from './readings.module.css';

type Answer = ResponseBody<typeof readComputer>;
type Readings = NonNullable<Answer['readings']>;
type Points = readonly (number | null)[];

const titles = { disk: 'device.disk', memory: 'device.memory', battery: 'device.battery' } as const satisfies Record<
  Trended,
  MessageId
>;

interface ReadingsSheetProps {
  readonly readings: Readings;
  readonly trends: NonNullable<Answer['trends']>;
  /** The end of the trends: milliseconds since the epoch. */
  readonly at: number;
}

/** What the device last said about itself, and the week before that. */
export function ReadingsSheet({ readings, trends, at }: ReadingsSheetProps) {
  const { brief, duration, share } = useTimes();
  const known = trended.filter((what) => trends[what].some((point) => point !== null));
  const span = hours(historyHours);
  const timeOf = (place: number) => (Math.floor(at / span) - trendLength + 1 + place) * span;
  const series = known.map((what) => ({ what, points: padded(trends[what]) }));
  const percent = (point: number | null | undefined) => (point == null ? '–' : share(point / 100));
  const places = Array.from({ length: trendLength }, (_, place) => place);
  const rows = places
    .toReversed()
    .filter((place) => series.some(({ points }) => points[place] !== null))
    .map((place) => [brief(timeOf(place)), ...series.map(({ points }) => percent(points[place]))] as const);
  const { uptime, addresses, system } = readings;
  return (
    <Sheet title="device.readings">
      <SheetPart>
        {known.length > 0 && (
          <div className={css.charts}>
            {series.map(({ what, points }) => (
              <div key={what} className={css.chart}>
                <h3 className={css.title}>
                  <Text id={titles[what]} />
                </h3>
                <p className={css.now}>
                  <Now what={what} readings={readings} />
                </p>
                <Trend points={points} titleOf={(place, point) => `${brief(timeOf(place))}: ${percent(point)}`} />
                <p className={css.axis} aria-hidden="true">
                  <span>{brief(timeOf(0))}</span>
                  <span>{brief(at)}</span>
                </p>
              </div>
            ))}
          </div>
        )}
        <dl className={css.facts}>
          {system !== null && (
            <Fact label="devices.system">
              <bdi translate="no">{system}</bdi>
            </Fact>
          )}
          {uptime !== null && <Fact label="device.uptime">{duration(seconds(uptime))}</Fact>}
          {addresses.length > 0 && (
            <Fact label="device.addresses">
              {addresses.map((address) => (
                <bdi key={address} dir="ltr" translate="no">
                  {address}
                </bdi>
              ))}
            </Fact>
          )}
        </dl>
        {known.length > 0 && (
          <ChartTable title="device.readings" columns={known.map((what) => titles[what])} rows={rows} />
        )}
      </SheetPart>
    </Sheet>
  );
}

/** As many points as a week has. */
const padded = (points: Points): Points => [...Array(trendLength - points.length).fill(null), ...points];

/** The current value in words. */
function Now({ what, readings }: { what: Trended; readings: Readings }) {
  const { share } = useTimes();
  const sizeOf = sizesIn(localeOf(usePage().language));
  if (what === 'battery') return readings.battery === null ? '–' : share(readings.battery / 100);
  const [free, size] = [readings[`${what}_free`], readings[`${what}_size`]];
  if (free === null || size === null) return '–';
  return <Text id="device.free" values={{ free: sizeOf(free), size: sizeOf(size) }} dir="auto" />;
}

const units = [
  [1e12, 'terabyte'],
  [1e9, 'gigabyte'],
  [0, 'megabyte'],
] as const;

/** Writes a number of bytes in the largest unit that leaves digits before the point. */
const sizesIn = (name: string) => (bytes: number) => {
  const [from, unit] = units.find(([least]) => bytes >= least) ?? units[2];
  const format = { style: 'unit', unit, maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(`${name}-u-nu-latn`, format).format(bytes / (from || 1e6));
};

interface TrendProps {
  readonly points: Points;
  /** What a pointer on a point shows. */
  readonly titleOf: (place: number, point: number) => string;
}

/** A line from 0 to 100 %, with gaps where nothing is known. The table has the same numbers. */
const Trend = ({ points, titleOf }: TrendProps) => (
  <svg className={css.trend} viewBox={`0 0 ${trendLength} 100`} preserveAspectRatio="none" aria-hidden="true">
    <path className={css.scale} d={`M0 0h${trendLength}M0 50h${trendLength}M0 100h${trendLength}`} />
    {points.map(
      (point, place) =>
        point !== null && (
          // biome-ignore lint/suspicious/noArrayIndexKey: a point is identified by its place
          <g key={place} className={css.point}>
            <rect className={css.filled} x={place} y={100 - point} width={0.9} height={point} />
            <rect className={css.reach} x={place} width={1} height={100}>
              <title>{titleOf(place, point)}</title>
            </rect>
          </g>
        ),
    )}
  </svg>
);

const Fact = ({ label, children }: { label: MessageId; children: ReactNode }) => (
  <div className={css.fact}>
    <dt>
      <Text id={label} />
    </dt>
    <dd>{children}</dd>
  </div>
);
