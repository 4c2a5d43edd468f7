import type * as z from 'zod/mini';
import { days, hours, minutes } from '../../contract/units.ts';
import { localTime } from '../../runtime/local-time.ts';
import type { usuallyOff } from '../contract/pauses.ts';
import { historyHours } from '../contract/record-kinds.ts';
import { historyAt, historyBase, type LongHistory, quartersOfSpan, spanOf } from '../store/heartbeat-history.ts';
import { type Span, timeOfDay, weekdayOf } from '../store/pauses.ts';

export type UsuallyOff = z.output<typeof usuallyOff>;

type Device = LongHistory & { readonly id: string };

interface Observed {
  readonly now: number;
  /** IANA name. */
  readonly zone: string;
}

/** Fewer days show no habit. */
const leastDays = 14;
/** A habit has exceptions: a day of work on a Saturday, an evening that was late. */
const minShare = 0.7;
const aNight = { least: hours(5), most: hours(20) };
/** The middle 80 % of the evenings are not further apart. */
const widest = 3 * 60;
const offersShown = 3;

/** Hours in which devices are off on most days, with the devices that share them: the largest groups. */
export function findUsuallyOff(devices: readonly Device[], observed: Observed): UsuallyOff[] {
  const found = devices.flatMap((device) => {
    const habit = habitOf(device, observed);
    return habit ? [{ ...habit, computers: [device.id] }] : [];
  });
  const alike = Map.groupBy(found, ({ from, until, days_off }) => [from, until, ...days_off].join());
  return [...alike.values()]
    .flatMap(([first, ...rest]) =>
      first ? [{ ...first, computers: [first, ...rest].flatMap(({ computers }) => computers) }] : [],
    )
    .toSorted((one, other) => other.computers.length - one.computers.length)
    .slice(0, offersShown);
}

function habitOf(device: Device, observed: Observed): Omit<UsuallyOff, 'computers'> | undefined {
  const { gaps, known } = gapsOf(device, observed.now);
  const local = gaps.map(({ from, until }): Span => {
    return { from: localTime(from, observed.zone), until: localTime(until, observed.zone) };
  });
  const [first, last] = [
    Math.ceil(localTime(known.from, observed.zone) / days(1)),
    Math.floor(localTime(known.until, observed.zone) / days(1)),
  ];
  if (last - first < leastDays) return undefined;
  const all = Array.from({ length: last - first }, (_, at) => first + at);
  const isOff = (day: number) => local.some(({ from, until }) => from <= days(day) && until >= days(day + 1));
  const daysOff = [1, 2, 3, 4, 5, 6, 7].filter((weekday) => {
    const same = all.filter((day) => weekdayOf(day) === weekday);
    return same.length > 1 && same.filter(isOff).length / same.length > minShare;
  });
  const isFree = (day: number) => daysOff.includes(weekdayOf(day));
  const nights = local.filter(({ from, until }) => until - from >= aNight.least && until - from <= aNight.most);
  const expected = all.filter((day) => !isFree(day) && !isFree(day + 1)).length;
  if (expected === 0 || nights.length / expected < minShare) return undefined;
  // Counted from noon, a usual evening and the morning after it are in one piece.
  const fromNoon = (time: number) => Math.floor(((time + hours(12)) % days(1)) / minutes(1));
  const from = middle(nights.map((night) => fromNoon(night.from)));
  const until = middle(nights.map((night) => fromNoon(night.until)));
  if (from.latest - from.earliest > widest || until.latest - until.earliest > widest) return undefined;
  const onClock = (hour: number) => timeOfDay(((hour + 12) % 24) * 60);
  const habit = { from: onClock(Math.floor(from.earliest / 60)), until: onClock(Math.ceil(until.latest / 60)) };
  return habit.from === habit.until ? undefined : { ...habit, days_off: daysOff };
}

function middle(values: readonly number[]): { earliest: number; latest: number } {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? 0;
  return { earliest: at(0.1), latest: at(0.9) };
}

/** The times without a heartbeat in a history, as precisely as its counts say, and the time that it covers. */
export function gapsOf(device: LongHistory, now: number): { gaps: Span[]; known: Span } {
  const counts = [...historyAt(device, now)].map((digit) => Number.parseInt(digit, historyBase));
  // The current span is not over.
  counts.pop();
  const length = hours(historyHours);
  const begin = spanOf(now) * length - counts.length * length;
  const gaps: Span[] = [];
  let silentSince: number | undefined;
  for (const [at, count] of counts.entries()) {
    const start = begin + at * length;
    const missing = minutes(15) * (quartersOfSpan - count);
    if (count === 0) silentSince ??= start;
    // It was on at the beginning of the span before a gap, and at the end of the one after it.
    else if (silentSince !== undefined) {
      gaps.push({ from: silentSince, until: start + missing });
      silentSince = undefined;
    }
    if (count > 0 && counts[at + 1] === 0) silentSince = start + length - missing;
  }
  return { gaps, known: { from: begin, until: begin + counts.length * length } };
}
