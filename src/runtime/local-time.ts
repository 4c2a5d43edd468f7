import { BoundedMap } from './bounded-map.ts';

/** Zones change their distance from UTC only at full quarters of an hour. */
const aQuarter = 15 * 60_000;
const offsets = new BoundedMap<string, number>(20_000);

/** How far the clocks of a time zone (IANA) are ahead of UTC, in milliseconds, at a time. Kept, since lists ask often. */
function offsetAt(at: number, zone: string): number {
  const quarter = Math.floor(at / aQuarter) * aQuarter;
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
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
  const wanted = Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDateTime();
  const earlier = wanted.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (!earlier.toPlainDateTime().equals(wanted))
    return earlier.getTimeZoneTransition('next')?.epochMilliseconds ?? local;
  return which === 'first'
    ? earlier.epochMilliseconds
    : wanted.toZonedDateTime(zone, { disambiguation: 'later' }).epochMilliseconds;
}
