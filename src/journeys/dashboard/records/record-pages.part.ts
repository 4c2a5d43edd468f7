import type { listRecords } from '../../../contract/computers.ts';
import type { Answered } from '../../../contract/endpoint.ts';

type RecordsResponse = Answered<typeof listRecords>;
export type Records = RecordsResponse['records'];

/** All records read so far, newest first. An older page stays the same object, so that it renders once. */
export interface RecordPages {
  readonly pages: readonly Records[];
  readonly next: string | null;
}

const longestPage = 50;

export const firstPage = ({ records, next }: RecordsResponse): RecordPages => ({ pages: [records], next });

export const withOlder = ({ pages }: RecordPages, { records, next }: RecordsResponse): RecordPages => ({
  pages: [...pages, records],
  next,
});

/** Puts the newest page before the known ones; returns it alone if records may be missing in between. */
export function withNewest(known: RecordPages | undefined, newest: RecordPages): RecordPages {
  const [front = []] = newest.pages;
  const oldest = front.at(-1)?.id;
  const first = known?.pages[0]?.[0]?.id;
  if (!known || newest.next === null || oldest === undefined || first === undefined || first < oldest) return newest;
  const older = known.pages
    .map((page) => ((page[0]?.id ?? '') < oldest ? page : page.filter(({ id }) => id < oldest)))
    .filter((page) => page.length > 0);
  return { pages: [front, ...joined(older)], next: known.next };
}

/** Merges the remainders of earlier front pages into one page. */
function joined([first = [], second = [], ...others]: readonly Records[]): readonly Records[] {
  if (first.length + second.length > longestPage) return [first, second, ...others];
  return [[...first, ...second], ...others].filter((page) => page.length > 0);
}
