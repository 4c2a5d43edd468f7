import { responseTimeRanges, type StatisticsSeries } from '../contract/console.ts';
import { days, hours, iso } from '../contract/units.ts';
import { type RegistrationDaysTable, registrationDays } from '../store/accounts/registration-days.ts';
import type { Store } from '../store/database.ts';
import { countsBetween, hourOf, statisticsKept } from '../store/operators/statistics.ts';

interface Asked {
  readonly store: Store;
  /** All unless given. */
  readonly series: StatisticsSeries | undefined;
  readonly by: 'hour' | 'day';
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

type Values = Record<string, number>;

interface Period {
  readonly series: StatisticsSeries;
  /** The beginning of an hour, or a day, in UTC. */
  readonly at: string;
  readonly values: Values;
}

/** What the service counted in each hour or day (UTC); those without anything are left out. */
export async function statistics({ store, series, by, from, to, now }: Asked): Promise<Period[]> {
  const length = by === 'day' ? days(1) : hours(1);
  const first = Math.max(from, now - statisticsKept);
  const rows = await countsBetween(store, { series, from: Math.floor(first / length) * length, to });
  // Those of a day are counted anew from the people themselves, each of whom may have tried twice.
  const isFunnel = by === 'day' && (series === undefined || series === 'registrations');
  const funnel = isFunnel ? await registrationsByDay(store, { from: first, to, now }) : [];
  const counted = rows.filter(
    (row) =>
      (!isFunnel || row.series !== 'registrations') &&
      // The running hour has not heard from every device yet.
      (!isLevel(row) || row.hour < hourOf(now)),
  );
  const periods = Map.groupBy(counted, (row) => `${row.series} ${Math.floor(hours(row.hour) / length) * length}`);
  return [
    ...funnel.map((day) => ({ series: 'registrations' as const, ...day })),
    ...[...periods].map(([key, counts]) => {
      const [name = '', start = ''] = key.split(' ');
      const at = iso(Number(start));
      return {
        series: name as StatisticsSeries,
        at: by === 'day' ? at.slice(0, 10) : at,
        values: describe(name as StatisticsSeries, counts),
      };
    }),
  ];
}

type Count = Awaited<ReturnType<typeof countsBetween>>[number];

/** How many devices are online is a level, counted once an hour for each of them: the most of all hours. */
const isLevel = ({ series, label }: Count): boolean => series === 'devices' && label === 'online';

function describe(series: StatisticsSeries, counts: readonly Count[]): Values {
  const values: Values = {};
  for (const one of counts) {
    const before = values[one.label] ?? 0;
    values[one.label] = isLevel(one) ? Math.max(before, one.count) : before + one.count;
  }
  return series === 'response_times' ? shares(values) : values;
}

/** The response times (ms) below which half and 99 % of the requests are, at most, by the ranges in which they were counted. */
function shares(values: Values): Values {
  const ranges = [...responseTimeRanges.map((limit) => [limit, values[limit] ?? 0] as const)];
  const requests = Object.values(values).reduce((sum, count) => sum + count, 0);
  const below = (share: number): number => {
    let seen = 0;
    for (const [limit, count] of ranges) {
      seen += count;
      if (seen >= share * requests) return limit;
    }
    return 2 * (responseTimeRanges.at(-1) ?? 0);
  };
  return { requests, p50: below(0.5), p99: below(0.99) };
}

type Steps = Omit<RegistrationDaysTable, 'day'>;

/** Where people stopped while they registered: the difference between one step and the next. */
const stopsOf = ({ asked, called, confirmed, used, registered, proven }: Steps) => ({
  before_the_call: asked - called,
  before_the_confirmation: called - confirmed,
  before_the_account: confirmed - used,
  before_the_proof_of_the_address: registered - proven,
});

/** How far the registrations of each day (UTC) came, from one time to another. */
async function registrationsByDay(store: Store, { from, to, now }: { from: number; to: number; now: number }) {
  const rows = await registrationDays(store, { since: from, now });
  return rows.filter(({ day }) => days(day) <= to).map(({ day, ...steps }) => ({ at: dateOf(day), values: steps }));
}

const dateOf = (day: number): string => new Date(days(day)).toISOString().slice(0, 10);

/** How far registrations came in the last `count` days, today included, day by day (UTC) and together. */
export async function registrationFunnel(store: Store, { count, now }: { count: number; now: number }) {
  const rows = await registrationDays(store, { since: now - days(count - 1), now });
  const sum = (step: keyof Steps) => rows.reduce((total, row) => total + row[step], 0);
  const together = {
    asked: sum('asked'),
    called: sum('called'),
    confirmed: sum('confirmed'),
    used: sum('used'),
    registered: sum('registered'),
    proven: sum('proven'),
  };
  return {
    days: rows.map(({ day, ...steps }) => ({ day: dateOf(day), ...steps })),
    together,
    stopped: stopsOf(together),
  };
}
