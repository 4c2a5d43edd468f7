import { useEffect, useMemo, useRef } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { focusHeading } from '../../../browser/navigation/focus-heading.ts';
import { AddressLink } from '../../../browser/navigation/navigation.tsx';
import { useQuery } from '../../../browser/navigation/query.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { listRecords } from '../../../contract/computers/computers.ts';
import { Sheet, SheetEmpty, SheetFoot, SheetPart } from '../../../ui/layouts/sheet.tsx';
import type { Computer } from '../devices/device-state.part.tsx';
import { LiveTrouble, useLive } from '../live.part.tsx';
import { ExportMenu } from './export-menu.part.tsx';
import css from './record-browser.module.css';
import { RecordFilters } from './record-filters.part.tsx';
import { filtersOf, readSelection, requestOf } from './record-query.part.ts';
import { RecordRows } from './record-rows.part.tsx';

/** Records on one page; a page is read again whenever there is news, so that it also shows records that arrive late. */
const pageSize = 100;

/** One page of the records that the address selects, and links to others. */
export function RecordBrowser({ computers, news }: { computers: readonly Computer[]; news: number }) {
  const { query, addressWith, change } = useQuery();
  const selection = readSelection(query);
  const request = requestOf(selection, pageSize);
  const wanted = JSON.stringify(request);
  const live = useLive(`${news} ${wanted}`, async (signal) => {
    return { wanted, ...(await sendRequest(listRecords, { query: request, signal })) };
  });
  const { again } = live;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection overtakes a request under way
  useEffect(() => again(), [wanted]);
  const before = useRef(selection.before);
  useEffect(() => {
    if (before.current === selection.before) return;
    before.current = selection.before;
    focusHeading();
    scrollTo(0, 0);
  }, [selection.before]);
  const names = useNames(computers);
  const shown = useMemo(() => live.answer?.records.filter(({ computer }) => names.has(computer)), [live.answer, names]);
  const isStale = live.answer !== undefined && live.answer.wanted !== wanted;
  const next = live.answer?.next;
  return (
    <Sheet busy={isStale}>
      <RecordFilters
        computers={computers}
        selection={selection}
        choose={(changes) => change({ ...changes, before: undefined })}
      >
        <ExportMenu {...{ selection, computers }} />
      </RecordFilters>
      {(live.failure || !shown) && (
        <SheetPart>
          <LiveTrouble live={live} />
          {!live.failure && (
            <p role="status">
              <Text id="frame.loading" />
            </p>
          )}
        </SheetPart>
      )}
      {shown?.length === 0 && (
        <SheetEmpty
          role="status"
          id={filtersOf(selection).length > 0 ? 'dashboard.records_no_match' : 'dashboard.records_none'}
        />
      )}
      {shown && shown.length > 0 && (
        <div className={isStale ? css.stale : undefined}>
          <RecordRows key={live.answer?.wanted} records={shown} names={names} level="h2" />
        </div>
      )}
      {(next || selection.before) && !isStale && (
        <SheetFoot>
          <nav className={css.pages}>
            {selection.before && (
              <AddressLink address={addressWith({ before: undefined })} className={css.page}>
                <Text id="records.newest" />
              </AddressLink>
            )}
            {next && (
              <AddressLink address={addressWith({ before: next })} className={css.page}>
                <Text id="dashboard.older" />
              </AddressLink>
            )}
          </nav>
        </SheetFoot>
      )}
    </Sheet>
  );
}

/** Names by computer id; stays the same object while no name changes, so that the rows render once. */
function useNames(computers: readonly Computer[]): ReadonlyMap<string, string> {
  const written = JSON.stringify(computers.map(({ id, name }) => [id, name]));
  return useMemo(() => new Map(JSON.parse(written)), [written]);
}
