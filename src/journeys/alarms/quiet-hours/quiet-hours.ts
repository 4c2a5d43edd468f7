import { days, minutes } from '../../../contract/durations.ts';
import type { AlarmRules } from '../../../store/computers/alarm-rules.ts';

const aDay = days(1) / minutes(1);

type QuietHours = Pick<AlarmRules, 'quiet_from' | 'quiet_until'>;

/** Minutes since midnight, of a time such as `07:30`. */
export const minuteOfDay = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** A time such as `07:30`, of minutes since midnight. */
export const timeOfDay = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

/**
 * The end of the quiet hours in which a time lies (both in ms since the epoch), or the time itself if they are over. The
 * clocks of the time zone (IANA; null or unknown: UTC) may change in between.
 */
export function afterQuietHours(at: number, { quiet_from: from, quiet_until: until }: QuietHours, zone: string | null) {
  if (from === null || until === null) return at;
  const left = (time: number) => (until - minuteIn(time, zone) + aDay) % aDay;
  const length = (until - from + aDay) % aDay;
  const isQuiet = (time: number) => left(time) > 0 && left(time) <= length;
  if (!isQuiet(at)) return at;
  const end = Math.floor(at / minutes(1)) * minutes(1) + minutes(left(at));
  // If the clocks changed meanwhile, it is up to an hour earlier or later there.
  const off = left(end);
  const corrected = end + minutes(off > aDay / 2 ? off - aDay : off);
  // The change to summer time may skip the end itself: it is then an hour later by the clock.
  return corrected < at || isQuiet(corrected) ? end : corrected;
}

function minuteIn(at: number, zone: string | null): number {
  return minuteOfDay((formatIn(zone ?? 'UTC') ?? (formatIn('UTC') as Intl.DateTimeFormat)).format(at));
}

/** Undefined for an unknown time zone: a browser may know more of them, or send any name. */
function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23', timeZone });
  } catch {
    return undefined;
  }
}
