import type * as z from 'zod/mini';
import { iso } from '../../contract/units.ts';
import type { readings, reportedReadings } from '../contract/readings.ts';
import { forTrended, type Trended, trendLength } from '../contract/readings.ts';
import { spanOf } from './heartbeat-history.ts';

type Reported = z.output<typeof reportedReadings>;

/** The JSON in the column of a computer; empty if it never said anything about itself. Earlier builds kept fewer values. */
interface KeptReadings {
  readonly said: Omit<z.output<typeof readings>, 'at'>;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Two digits for each point, `--` where the value is unknown, the newest last. */
  readonly trends: Readonly<Partial<Record<Trended, string>>>;
}

const unknown = '--';
/** Of a computer that knows nothing about itself. */
const nothing: KeptReadings['said'] = {
  disk_free: null,
  disk_size: null,
  memory_free: null,
  memory_size: null,
  battery: null,
  uptime: null,
  addresses: [],
  system: null,
};

function parse(kept: string): KeptReadings | undefined {
  if (kept === '') return undefined;
  const known: KeptReadings = JSON.parse(kept);
  return { ...known, said: { ...nothing, ...known.said } };
}

/** A trend as of `now`; older points drop out. */
function trendAt({ trends, at }: KeptReadings, what: Trended, now: number): string {
  const passed = Math.min(trendLength, Math.max(0, spanOf(now) - spanOf(at)));
  return ((trends[what] ?? unknown) + unknown.repeat(passed)).slice(-2 * trendLength);
}

/** What is kept after a heartbeat at `now`, which may say nothing. */
export function readingsAfter(kept: string, reported: Reported | null | undefined, now: number): string {
  if (!reported) return kept;
  const said = Object.fromEntries(
    Object.entries(nothing).map(([what, none]) => [what, reported[what as keyof Reported] ?? none]),
  ) as KeptReadings['said'];
  const before = parse(kept);
  const pointsOf = (what: Trended) => {
    const trend = before ? trendAt(before, what, now) : unknown;
    const [lowest, part] = [trend.slice(-2), shareOf[what](said)];
    if (part === null) return trend;
    const digits = String(Math.min(99, Math.floor(part))).padStart(2, '0');
    return trend.slice(0, -2) + (lowest === unknown || digits < lowest ? digits : lowest);
  };
  return JSON.stringify({ said, at: now, trends: forTrended(pointsOf) } satisfies KeptReadings);
}

/** In percent. */
const partOf = (free: number | null, size: number | null): number | null =>
  free === null || !size ? null : Math.min(100, (100 * free) / size);

/** A value in percent; null where it is unknown. */
const shareOf: Readonly<Record<Trended, (said: KeptReadings['said']) => number | null>> = {
  disk: ({ disk_free, disk_size }) => partOf(disk_free, disk_size),
  memory: ({ memory_free, memory_size }) => partOf(memory_free, memory_size),
  battery: ({ battery }) => battery,
};

/** The current values in percent; null where unknown. */
export function currentShares(kept: string): Readonly<Record<Trended, number | null>> {
  const said = parse(kept)?.said;
  return forTrended((what) => (said ? shareOf[what](said) : null));
}

/** What a computer last said about itself, and its trends as of `now`; null if it never did. */
export function readReadings(kept: string, now: number) {
  const known = parse(kept);
  if (!known) return { readings: null, trends: null };
  const pointsOf = (what: Trended) =>
    Array.from(trendAt(known, what, now).matchAll(/../g), ([pair]) => (pair === unknown ? null : Number(pair)));
  return { readings: { ...known.said, at: iso(known.at) }, trends: forTrended(pointsOf) };
}
