import { BoundedMap } from './bounded-map.ts';

const aMinute = 60_000;
/** Zones change their distance from UTC only at full quarters of an hour. */
const aQuarter = 15 * aMinute;
/** No zone is further from UTC. */
const furthest = 16 * 60 * aMinute;

const formats = new BoundedMap<string, Intl.DateTimeFormat>(200);
const offsets = new BoundedMap<string, number>(20_000);

function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en', { ...parts, hourCycle: 'h23', timeZone: zone });
  formats.set(zone, format);
  return format;
}

/** How far the clocks of a time zone (IANA) are ahead of UTC, in milliseconds, at a time (ms since the epoch). */
function offsetAt(at: number, zone: string): number {
  const quarter = Math.floor(at / aQuarter) * aQuarter;
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const part = Object.fromEntries(
    formatIn(zone)
      .formatToParts(quarter)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
  const offset = Date.UTC(year, month - 1, day, hour, minute) - quarter;
  offsets.set(key, offset);
  return offset;
}

/** What the clocks of a zone show at a time: milliseconds since the epoch, as if that were UTC. */
export const localTime = (at: number, zone: string): number => at + offsetAt(at, zone);

/**
 * When the clocks of a zone show a local time, such as `Date.UTC(2026, 2, 29, 2, 30)` for half past two. In autumn an hour
 * occurs twice: then the first or the last time. In spring one does not occur: then the moment that skips it.
 */
export function timeOfLocal(local: number, zone: string, which: 'first' | 'last'): number {
  const before = offsetAt(local - furthest, zone);
  const after = offsetAt(local + furthest, zone);
  const found = [local - before, local - after].filter((at) => localTime(at, zone) === local);
  if (found.length > 0) return which === 'first' ? Math.min(...found) : Math.max(...found);
  let [early, late] = [local - furthest, local + furthest];
  while (late - early > aMinute) {
    const middle = Math.floor((early + late) / 2 / aMinute) * aMinute;
    if (offsetAt(middle, zone) === after) late = middle;
    else early = middle;
  }
  return late;
}
