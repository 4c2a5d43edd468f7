import * as z from 'zod/mini';
import { seconds } from '../../contract/durations.ts';

/** How a moment may be written, for whoever wrote it otherwise. */
export const timeForms = 'write 2020-01-31, 2020-01-31T07:08:09Z, or seconds or milliseconds since 1970';

const day = z.iso.date();
const moment = z.iso.datetime({ offset: true, local: true });
/** Nobody had an account before; what looks older is a number of another kind. */
const earliest = Date.UTC(1980, 0);
/** As milliseconds before any account was made, as seconds in the far future: no number is meant as both. */
const leastMilliseconds = 1e11;

/** A moment as other services write it, in milliseconds since the epoch; undefined where it is none, or was not before `now`. */
export function readTime(text: string, now: number): number | undefined {
  const at = /^\d+$/.test(text) ? readNumber(Number(text)) : readDate(text);
  return at >= earliest && at <= now ? at : undefined;
}

const readNumber = (number: number): number => (number < leastMilliseconds ? number * seconds(1) : number);

/** As ISO 8601 and SQL have it, in UTC unless it says where. `Date.parse` alone would take February 30 for a day in March. */
function readDate(text: string): number {
  if (day.safeParse(text).success) return Date.parse(text);
  const written = text
    .replace(/^(\S+) (\d\d:)/, '$1T$2')
    .replace(/ ?UTC$/, 'Z')
    .replace(/ ?([+-]\d\d)(?::?(\d\d))?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
  if (!moment.safeParse(written).success) return Number.NaN;
  return Date.parse(/Z$|[+-]\d\d:\d\d$/.test(written) ? written : `${written}Z`);
}
