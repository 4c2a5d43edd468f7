import * as z from 'zod/mini';
import { seconds } from '../../contract/durations.ts';

/** The accepted formats of a time, for error messages. */
export const timeForms = 'write 2020-01-31, 2020-01-31T07:08:09Z, or seconds or milliseconds since 1970';

const day = z.iso.date();
const moment = z.iso.datetime({ offset: true, local: true });
/** No account is older; a number that seems to be is not a time. */
const earliest = Date.UTC(1980, 0);
/** Read as milliseconds, it is before any account; read as seconds, in the far future. So no number is ambiguous. */
const leastMilliseconds = 1e11;

/** Parses a time as other services write it. Milliseconds since the epoch; undefined if invalid, too old or after `now`. */
export function readTime(text: string, now: number): number | undefined {
  const at = /^\d+$/.test(text) ? readNumber(Number(text)) : readDate(text);
  return at >= earliest && at <= now ? at : undefined;
}

const readNumber = (number: number): number => (number < leastMilliseconds ? number * seconds(1) : number);

/** Parses ISO 8601 and SQL formats, as UTC unless there is a zone. `Date.parse` alone would accept February 30. */
function readDate(text: string): number {
  if (day.safeParse(text).success) return Date.parse(text);
  const written = text
    .replace(/^(\S+) (\d\d:)/, '$1T$2')
    .replace(/ ?UTC$/, 'Z')
    .replace(/ ?([+-]\d\d)(?::?(\d\d))?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
  if (!moment.safeParse(written).success) return Number.NaN;
  return Date.parse(/Z$|[+-]\d\d:\d\d$/.test(written) ? written : `${written}Z`);
}
