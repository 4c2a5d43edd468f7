import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useSortedByName } from '../../../browser/language/language.tsx';
import { Paragraph, Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { focusHeading } from '../../../browser/navigation/history.ts';
import { AddressLink, type QueryChanges, useQuery } from '../../../browser/navigation/navigation.tsx';
import { useTypedParameter } from '../../../browser/navigation/typed-parameter.ts';
import { useAccount } from '../../../browser/requests/account.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { wordsFinder } from '../../../contract/plain-text.ts';
import { AccountNotices } from '../../../journeys/account/notices/account-notices.part.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { NameOptions, Select } from '../../../ui/fields/choice-fields.tsx';
import { Input } from '../../../ui/fields/field.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { AccountLayout, AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { Sheet, SheetEmpty, SheetFoot, SheetPart, Title } from '../../../ui/layouts/card.tsx';
import { PageHead } from '../../../ui/layouts/page-head.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { listRecords } from '../../contract/computers.ts';
import { recordKinds } from '../../contract/record-kinds.ts';
import type { Computer } from '../devices/device-state.part.tsx';
import { FilterOpener, PrintedFilters } from '../filters.part.tsx';
import { Empty, useFleet } from '../fleet.part.tsx';
import { LiveTrouble, useLive } from '../live.part.tsx';
import { ExportMenu } from './export-records.part.tsx';
import { filtersOf, noFilters, readSelection, requestOf, type Selection } from './record-query.part.ts';
import { kindWords, RecordRows, readableKind, wordsOfKind } from './record-rows.part.tsx';
import css from './records.module.css';

/** The records of all devices, with filters in the page's address. */
export default function Records() {
  const { account, failure, retry } = useAccount();
  const { live, news } = useFleet();
  const selection = useSelection();
  const unread = account ? undefined : failure;
  const computers = unread ? undefined : live.answer?.computers;
  return (
    <AccountLayout wide>
      <PageHead
        actions={computers && computers.length > 0 && <ExportMenu selection={selection} computers={computers} />}
      >
        <Title text="records.page" />
      </PageHead>
      {account && <AccountNotices account={account} />}
      {computers ? (
        <>
          <LiveTrouble live={live} />
          {computers.length === 0 ? <Empty /> : <RecordBrowser {...{ computers, selection, news }} />}
        </>
      ) : (
        <AccountUnread failure={unread ?? live.failure} retry={unread ? retry : live.again} />
      )}
    </AccountLayout>
  );
}

/** Records on one page; a page is read again whenever there is news, so that it also shows records that arrive late. */
const pageSize = 100;

/** What the page's address selects; a search also finds kinds by their words in the page's language. */
function useSelection(): Selection {
  const { query } = useQuery();
  const t = useText();
  return readSelection(query, (words) => {
    const isFound = wordsFinder(words);
    return recordKinds.filter((kind) => isFound(t(kindWords[kind])));
  });
}

interface RecordBrowserProps {
  readonly computers: readonly Computer[];
  readonly selection: Selection;
  readonly news: number;
}

/** One page of the selected records, and links to others. */
function RecordBrowser({ computers, selection, news }: RecordBrowserProps) {
  const { addressWith, change } = useQuery();
  const request = requestOf(selection, pageSize);
  const wanted = JSON.stringify(request);
  const live = useLive(`${news} ${wanted}`, async (signal) => {
    return { wanted, ...(await firstFound(request, signal)) };
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
        kinds={shown?.map(({ kind }) => kind) ?? []}
        selection={selection}
        choose={(changes) => change({ ...changes, before: undefined })}
      />
      <PrintedFilters filters={useFilterWords(selection, names)} />
      {(live.failure || !shown) && (
        <SheetPart>
          <LiveTrouble live={live} />
          {!live.failure && <Paragraph role="status" id="frame.loading" />}
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

/** Requests of a search, each past thousands of records, before it reports that nothing was found. */
const longestSearch = 20;

/** A page of records. A search continues until it finds some. */
async function firstFound(request: ReturnType<typeof requestOf>, signal: AbortSignal) {
  let page = await sendRequest(listRecords, { query: request, signal });
  for (let sent = 1; page.records.length === 0 && page.next && sent < longestSearch; sent += 1)
    page = await sendRequest(listRecords, { query: { ...request, before: page.next }, signal });
  return page;
}

/** Names by computer id; stays the same object while no name changes, so that the rows render once. */
function useNames(computers: readonly Computer[]): ReadonlyMap<string, string> {
  const written = JSON.stringify(computers.map(({ id, name }) => [id, name]));
  return useMemo(() => new Map(JSON.parse(written)), [written]);
}

const filterLabels = {
  find: 'label.search',
  device: 'dashboard.filter_device',
  kind: 'dashboard.filter_kind',
  from: 'records.from',
  until: 'records.until',
} as const;

/** A kind in the page's language if we know it. */
function useKindWords(): (kind: string) => string {
  const t = useText();
  return (kind) => {
    const words = wordsOfKind(kind);
    return words ? t(words) : readableKind(kind);
  };
}

/** The active filters in words. */
function useFilterWords(selection: Selection, names: ReadonlyMap<string, string>) {
  const { day } = useTimes();
  const kindInWords = useKindWords();
  const { find, device, kind, from, until } = selection;
  const dayOf = (date: string) => date && day(`${date}T00:00`);
  const values = {
    ...{ find, device: names.get(device) ?? device, kind: kindInWords(kind) },
    ...{ from: dayOf(from), until: dayOf(until) },
  };
  return filtersOf(selection).map((name) => [filterLabels[name], values[name]] as const);
}

interface RecordFiltersProps {
  readonly computers: readonly Computer[];
  /** Kinds of the records on the page, some of which may be the devices' own. */
  readonly kinds: readonly string[];
  readonly selection: Selection;
  readonly choose: (changes: QueryChanges) => void;
}

/** Filters by device, kind and days; on a narrow screen behind a button with the number of active ones. */
function RecordFilters({ computers, kinds, selection, choose }: RecordFiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const active = filtersOf(selection).length;
  const filters = useRef<HTMLDivElement>(null);
  function clear(): void {
    // The button disappears with the last filter.
    filters.current?.querySelector('input')?.focus();
    choose(noFilters);
  }
  return (
    <search className={css.bar}>
      <FilterOpener controls={id} active={active} isOpen={isOpen} toggle={() => setOpen(!isOpen)} />
      <div id={id} ref={filters} className={isOpen ? css.filters : `${css.filters} ${css.folded}`}>
        <Fields {...{ computers, kinds, selection, choose }} />
        {active > 0 && (
          <div className={css.clear}>
            <TextButton onClick={clear} label="records.clear" />
          </div>
        )}
      </div>
    </search>
  );
}

function Fields({ computers, kinds, selection, choose }: RecordFiltersProps) {
  const t = useText();
  const byName = useSortedByName(computers);
  const { device, kind, from, until } = selection;
  const [find, setFind] = useTypedParameter('find', { before: undefined });
  const newest = computers.flatMap(({ newest: record }) => (record ? [record.kind] : []));
  const known = new Set([...recordKinds, ...newest, ...kinds, ...(kind ? [kind] : [])]);
  const kindInWords = useKindWords();
  return (
    <>
      <Filter label={filterLabels.find}>
        {(id) => <SearchField id={id} name="find" value={find} onChange={({ target }) => setFind(target.value)} />}
      </Filter>
      <Filter label={filterLabels.device}>
        {(id) => (
          <Select id={id} value={device} onChange={({ target }) => choose({ device: target.value })}>
            <option value="">{t('dashboard.filter_all')}</option>
            <NameOptions of={byName} selected={device} />
          </Select>
        )}
      </Filter>
      <Filter label={filterLabels.kind}>
        {(id) => (
          <Select id={id} value={kind} onChange={({ target }) => choose({ kind: target.value })}>
            <option value="">{t('dashboard.filter_all')}</option>
            {[...known].map((each) => (
              <option key={each} value={each}>
                {kindInWords(each)}
              </option>
            ))}
          </Select>
        )}
      </Filter>
      <Filter label={filterLabels.from}>
        {(id) => (
          <Input
            id={id}
            type="date"
            max={until || undefined}
            value={from}
            onChange={({ target }) => choose({ from: target.value })}
          />
        )}
      </Filter>
      <Filter label={filterLabels.until}>
        {(id) => (
          <Input
            id={id}
            type="date"
            min={from || undefined}
            value={until}
            onChange={({ target }) => choose({ until: target.value })}
          />
        )}
      </Filter>
    </>
  );
}

function Filter({ label, children }: { label: MessageId; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className={css.filter}>
      <label htmlFor={id} className={css.label}>
        <Text id={label} />
      </label>
      {children(id)}
    </div>
  );
}
