import { firstIdOf } from '../ordered-id.ts';

/** A calendar month in UTC. */
export interface Month {
  /** The end of its partition's name: `2027_01`. */
  readonly name: string;
  /** Its first millisecond since the epoch. */
  readonly start: number;
  /** The first key that may belong to it, and the first one after it. */
  readonly from: string;
  readonly until: string;
}

/** The month of a time (ms since the epoch), or a later one. */
export function monthOf(time: number, later = 0): Month {
  const begin = new Date(time);
  const startOf = (months: number) => Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + months);
  const [start, end] = [startOf(later), startOf(later + 1)];
  const name = new Date(start).toISOString().slice(0, 7).replace('-', '_');
  return { name, start, from: firstIdOf(start), until: firstIdOf(end) };
}
