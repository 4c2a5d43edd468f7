import { days, hours, minutes } from '../../../contract/units.ts';
import { historyHours } from '../../contract/record-kinds.ts';

export const shownDays = 30;
export const spansOfDay = 24 / historyHours;
const span = hours(historyHours);
const quarter = minutes(15);
const quartersOfSpan = historyHours * 4;

/** A day of the browser's time zone. */
export interface Day {
  /** Milliseconds since the epoch. */
  readonly start: number;
  /** The part of each three hours with a heartbeat; undefined if it is not known or yet to come. */
  readonly spans: readonly (number | undefined)[];
}

/**
 * The last thirty days of a history. Its spans are divided in UTC; each goes to the local three hours in which most of
 * it lies.
 */
export function daysOf(history: string, at: number): Day[] {
  const parts = new Map<number, number>();
  const last = Math.floor(at / span);
  for (const [place, digit] of [...history].entries()) {
    const middle = new Date((last - (history.length - 1 - place) + 0.5) * span);
    const row = Math.floor(middle.getHours() / historyHours);
    const part = Number.parseInt(digit, quartersOfSpan + 1) / quartersOfSpan;
    parts.set(dayOf(middle.getTime()) + row, part);
  }
  const today = new Date(at).setHours(12, 0, 0, 0);
  return Array.from({ length: shownDays }, (_, place) => {
    const start = new Date(today - days(shownDays - 1 - place)).setHours(0, 0, 0, 0);
    const spans = Array.from({ length: spansOfDay }, (_, row) => parts.get(dayOf(start) + row));
    return { start, spans };
  });
}

/** A device was not active before it was added: the part of the time since then, or of a longer period's end. */
export const partSince = (active: number, { added, at, period }: { added: number; at: number; period: number }) => {
  const since = at - added;
  return { isWhole: since >= period, part: Math.min(1, active / Math.max(quarter, Math.min(period, since))) };
};

/** How long a device was active, in milliseconds: its quarter hours with a heartbeat. */
export const activeIn = (digits: string): number =>
  [...digits].reduce((sum, digit) => sum + Number.parseInt(digit, quartersOfSpan + 1) * quarter, 0);

/** A number for the local day of a time, with room for the rows of a day. */
function dayOf(time: number): number {
  const date = new Date(time);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / days(1)) * spansOfDay;
}
