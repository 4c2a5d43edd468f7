import { useEffect, useState } from 'react';
import { localeOf } from '../../contract/languages.ts';
import { days, hours, minutes, seconds, wholeUnits } from '../../contract/units.ts';
import { usePage } from '../navigation/page.tsx';

/** Durations from which `ago` switches to the larger unit. */
const daysFrom = hours(36);
const hoursFrom = minutes(90);

function inUnits(passed: number): { unit: 'day' | 'hour' | 'minute'; length: number } {
  if (passed >= daysFrom) return { unit: 'day', length: days(1) };
  if (passed >= hoursFrom) return { unit: 'hour', length: hours(1) };
  return { unit: 'minute', length: minutes(1) };
}

/** Formats times and shares in the page's language, the browser's time zone and Latin digits. */
export function useTimes(): Times {
  const locale = localeOf(usePage().language);
  const known = timesByLocale.get(locale) ?? timesIn(locale);
  timesByLocale.set(locale, known);
  return known;
}

type Times = ReturnType<typeof timesIn>;

/** Shared by all components: making the formats takes a millisecond, which a row of a long table must not take. */
const timesByLocale = new Map<string, Times>();

/** Keeps a number with the word after it in one line, as in “28 нояб. 2026 г.” and “12 min”. */
const together = (written: string): string => written.replace(/(?<=\d) (?=\p{L})/gu, '\u00a0');

export function timesIn(name: string) {
  const locale = `${name}-u-ca-gregory-nu-latn`;
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const relative = new Intl.RelativeTimeFormat(locale);
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const hour = new Intl.DateTimeFormat(locale, { hour: 'numeric' });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const timeOfDay = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });
  const percent = new Intl.NumberFormat(locale, { style: 'percent' });
  return {
    /** Takes ISO 8601, or milliseconds since 1970. */
    when: (at: string | number): string => together(date.format(new Date(at))),
    /** The shortest unambiguous form: only the time today, and no year this year. */
    brief(at: string | number): string {
      const [then, now] = [new Date(at), new Date()];
      if (then.toDateString() === now.toDateString()) return time.format(then);
      return together((then.getFullYear() === now.getFullYear() ? timeOfDay : date).format(then));
    },
    day: (at: string | number): string => together(day.format(new Date(at))),
    time: (at: string): string => time.format(new Date(at)),
    /** Without the year. */
    shortDay: (at: string | number): string => together(shortDay.format(new Date(at))),
    hour: (at: string | number): string => hour.format(new Date(at)),
    /** Takes the milliseconds that have passed. */
    ago(passed: number): string {
      const { unit, length } = inUnits(passed);
      return together(relative.format(-Math.max(1, Math.round(passed / length)), unit));
    },
    /** The length of a time in milliseconds, such as “12 min”; rounded as in messages. */
    duration(passed: number): string {
      const { unit, count } = wholeUnits(passed);
      return together(new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count));
    },
    /** Any part above 0 is at least 1 %. */
    share: (part: number): string => percent.format(part > 0 ? Math.max(part, 0.01) : 0),
  };
}

/** The current time in milliseconds since 1970, updated often enough for a display in minutes. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), seconds(20));
    return () => clearInterval(timer);
  }, []);
  // A newer response may have arrived since the last tick.
  return Math.max(now, Date.now());
}

interface Day<Entry> {
  /** In the browser's time zone; names the day among others. */
  readonly date: string;
  readonly entries: readonly [Entry, ...Entry[]];
}

/** Groups entries by the day of their time in the browser's time zone, in their order. */
export function byDay<Entry extends { readonly at: string }>(entries: readonly Entry[]): readonly Day<Entry>[] {
  const days = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const date = new Date(entry.at).toDateString();
    const known = days.get(date);
    if (known) known.push(entry);
    else days.set(date, [entry]);
  }
  return [...days].map(([date, entries]) => ({ date, entries }));
}
