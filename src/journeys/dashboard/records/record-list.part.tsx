import { memo, useMemo } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { useKeptFocus } from '../../../browser/navigation/kept-focus.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import type { Computer } from '../devices/device-state.part.tsx';
import { LiveTrouble, useLive } from '../live.part.tsx';
import css from './record-list.module.css';
import { firstPage, type RecordPages, type Records, withNewest, withOlder } from './record-pages.part.ts';
import { RecordWords } from './record-words.part.tsx';

const contract = () => import('../../../contract/computers.ts');

interface RecordListProps {
  readonly computers: readonly Computer[];
  readonly news: number;
  readonly wanted: { readonly computer?: string; readonly kind?: string };
}

/** The newest records; older ones load on demand. */
export function RecordList({ computers, news, wanted }: RecordListProps) {
  const ask = async (signal: AbortSignal, before?: string) =>
    sendRequest((await contract()).listRecords, { query: { ...wanted, ...(before && { before }) }, signal });
  const live = useLive<RecordPages>(news, async (signal) => firstPage(await ask(signal)), withNewest);
  const older = useRequest(async (signal, known: RecordPages) => {
    live.replace(withOlder(known, await ask(signal, known.next ?? '')));
  });
  useKeptFocus();
  const names = useNames(computers);
  const known = live.answer;
  const isEmpty = known?.pages.every((page) => page.every(({ computer }) => !names.has(computer)));
  return (
    <>
      <LiveTrouble live={live} />
      {isEmpty && (
        <p>
          <Text id={Object.keys(wanted).length > 0 ? 'dashboard.records_no_match' : 'dashboard.records_none'} />
        </p>
      )}
      {known && !isEmpty && (
        <div className={css.pages}>
          {known.pages.map((records, place) => (
            <Page key={place === 0 ? 'newest' : records.at(-1)?.id} records={records} names={names} />
          ))}
        </div>
      )}
      {older.error && (
        <Notice kind="danger" role="alert">
          <Text {...older.error.text} />
        </Notice>
      )}
      {known && known.next !== null && (
        <Button
          label="dashboard.older"
          busy={older.state === 'pending' ? 'frame.loading' : undefined}
          retry={() => older.restart(known)}
          quiet
          narrow
          onClick={() => void older.start(known)}
        />
      )}
    </>
  );
}

/** Names by computer id; stays the same object while no name changes. */
function useNames(computers: readonly Computer[]): ReadonlyMap<string, string> {
  const written = JSON.stringify(computers.map(({ id, name }) => [id, name]));
  return useMemo(() => new Map(JSON.parse(written)), [written]);
}

interface PageProps {
  readonly records: Records;
  readonly names: ReadonlyMap<string, string>;
}

/** A page renders once, so that of thousands of records only new ones render; only visible pages have a layout. */
const Page = memo(function Page({ records, names }: PageProps) {
  const { when } = useTimes();
  // Hides the records of removed devices, which earlier reads may contain.
  const shown = records.filter(({ computer }) => names.has(computer));
  return (
    <ol className={css.page}>
      {shown.map(({ id, computer, at, kind, text }) => (
        <li key={id} className={css.row}>
          <time className={css.detail} dateTime={at}>
            {when(at)}
          </time>
          <span className={css.detail}>
            <bdi>{names.get(computer)}</bdi>
          </span>
          <span className={css.words}>
            <RecordWords kind={kind} text={text} />
          </span>
        </li>
      ))}
    </ol>
  );
});
