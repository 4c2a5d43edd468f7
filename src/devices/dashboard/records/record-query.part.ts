import { days } from '../../../contract/units.ts';

/** What the address of the page selects. Days are local dates: `2026-11-21`. */
export interface Selection {
  readonly device: string;
  readonly kind: string;
  readonly find: string;
  /** Kinds that the page names with the words of the search. */
  readonly kinds: readonly string[];
  readonly from: string;
  readonly until: string;
  /** Only records older than this one. */
  readonly before: string;
}

export const readSelection = (query: URLSearchParams, kindsNamed: (words: string) => readonly string[]): Selection => ({
  device: query.get('device') ?? '',
  kind: query.get('kind') ?? '',
  find: query.get('find')?.trim() ?? '',
  kinds: kindsNamed(query.get('find') ?? ''),
  from: dateIn(query.get('from')),
  until: dateIn(query.get('until')),
  before: query.get('before') ?? '',
});

/** The names of the filters, which are also parameters of the address. */
const filters = ['find', 'device', 'kind', 'from', 'until'] as const;

/** The filters that a selection uses. */
export const filtersOf = (selection: Selection) => filters.filter((name) => selection[name] !== '');

/** The changes of an address that end all filters. */
export const noFilters = Object.fromEntries(filters.map((name) => [name, undefined]));

const dateIn = (text: string | null): string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(midnight(text)) ? text : '';

/** The beginning of a day in the browser's time zone. */
const midnight = (date: string): number => new Date(`${date}T00:00`).getTime();

/** The beginning of the next day, which may be 23 or 25 hours later. */
const nextMidnight = (date: string): number => new Date(midnight(date) + days(1.5)).setHours(0, 0, 0, 0);

/** The query of the request for a page of records. */
export const requestOf = ({ device, kind, find, kinds, from, until, before }: Selection, limit: number) => ({
  limit: String(limit),
  ...(device && { computer: device }),
  ...(kind && { kind }),
  ...(find && { find, ...(kinds.length > 0 && { kinds: kinds.join(' ') }) }),
  ...(from && { since: new Date(midnight(from)).toISOString() }),
  ...(until && { until: new Date(nextMidnight(until)).toISOString() }),
  ...(before && { before }),
});
