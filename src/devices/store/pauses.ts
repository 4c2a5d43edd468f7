import { isKnownTimeZone } from '../../contract/fields/time.ts';
import { days, minutes } from '../../contract/units.ts';
import { localTime, timeOfLocal } from '../../runtime/local-time.ts';
import { isInScope, type NewPause, type Pause } from '../contract/pauses.ts';
import type { QuietHours } from './alarm-plans.ts';

/** Milliseconds since the epoch; `until` no longer belongs to it. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Minutes since midnight, of a time such as `07:30`. */
const minuteOfDay = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** A time such as `07:30`, of minutes since midnight. */
export const timeOfDay = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

interface Around {
  readonly at: number;
  /** How many days before and after that. */
  readonly back: number;
  readonly ahead: number;
}

/** The occurrences of a pause around a time, in their order; those that meet are one. */
function occurrences(pause: NewPause, { at, back, ahead }: Around): Span[] {
  const { time_zone: zone } = pause;
  const span = (from: number, until: number): Span => ({
    from: timeOfLocal(from, zone, 'first'),
    until: timeOfLocal(until, zone, 'last'),
  });
  if (pause.kind === 'maintenance') {
    const [from, until] = [Date.parse(`${pause.from}Z`), Date.parse(`${pause.until}Z`)];
    const planned = span(from, until);
    // Of an hour that the clocks skip, nothing is left: the work is done after it.
    return [planned.from < planned.until ? planned : { ...planned, until: planned.from + until - from }];
  }
  const today = Math.floor(localTime(at, zone) / days(1));
  const all: Span[] = [];
  for (let day = today - back; day <= today + ahead; day += 1) {
    const midnight = days(day);
    if (pause.days_off.includes(weekdayOf(day))) all.push(span(midnight, midnight + days(1)));
    if (pause.from === null || pause.until === null) continue;
    const [from, until] = [minuteOfDay(pause.from), minuteOfDay(pause.until)];
    all.push(span(midnight + minutes(from), midnight + minutes(until) + (until <= from ? days(1) : 0)));
  }
  return joined(all);
}

/** From Monday, 1, to Sunday, 7; the first day of the epoch was a Thursday. */
export const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last && span.from <= last.until) all[all.length - 1] = { ...last, until: Math.max(last.until, span.until) };
    else if (span.from < span.until) all.push(span);
  }
  return all;
}

const shownAhead = 3;

/** The current occurrence and the next ones: three. */
export const nextOccurrences = (pause: NewPause, at: number): Span[] =>
  occurrences(pause, { at, back: 8, ahead: 30 })
    .filter(({ until }) => until > at)
    .slice(0, shownAhead);

/**
 * The end of the quiet hours in which a time lies (both in ms since the epoch), or the time itself if they are over. The
 * time zone is an IANA name; null or unknown: UTC.
 */
export function afterQuietHours(at: number, quiet: QuietHours | null, zone: string | null): number {
  if (quiet === null || quiet.from === quiet.until) return at;
  const time_zone = isKnownTimeZone(zone) ? zone : 'UTC';
  const pause = { kind: 'off_hours' as const, tags: [], computers: [], days_off: [], ...quiet, time_zone };
  return occurrences(pause, { at, back: 1, ahead: 1 }).find(({ from, until }) => from <= at && at < until)?.until ?? at;
}

/** What the pauses of an account mean for one of its devices now. Times are milliseconds since the epoch. */
export interface Paused {
  /** The end of the maintenance in which it is. */
  readonly maintenanceUntil: number | undefined;
  /** The end of the hours in which it is usually off. */
  readonly offUntil: number | undefined;
  /** When the last pause before now ended, if there was one: silence counts from here at the earliest. */
  readonly endedAt: number;
}

export const notPaused: Paused = { maintenanceUntil: undefined, offUntil: undefined, endedAt: 0 };

/** Reads the pauses of an account at a time once; the result answers for each of its devices. */
export function pausesAt(pauses: readonly Pause[], at: number) {
  const known = pauses.map((pause) => {
    const around = occurrences(pause, { at, back: 8, ahead: 8 });
    const current = around.find(({ from, until }) => from <= at && at < until);
    const endedAt = around.findLast(({ until }) => until <= at)?.until ?? 0;
    return { pause, until: current?.until, endedAt };
  });
  return (device: { readonly id: string; readonly tags: readonly string[] }): Paused => {
    const own = known.filter(({ pause }) => isInScope(pause, device));
    const untilOf = (kind: Pause['kind']) =>
      own
        .filter(({ pause, until }) => pause.kind === kind && until !== undefined)
        .map(({ until }) => until ?? 0)
        .reduce<number | undefined>((last, until) => Math.max(last ?? 0, until), undefined);
    return {
      maintenanceUntil: untilOf('maintenance'),
      offUntil: untilOf('off_hours'),
      endedAt: own.reduce((last, { endedAt }) => Math.max(last, endedAt), 0),
    };
  };
}
