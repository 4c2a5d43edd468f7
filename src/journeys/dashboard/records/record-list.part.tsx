import { memo } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { listRecords } from '../../../contract/computers.ts';
import type { Answered } from '../../../contract/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import type { Computer } from '../devices/device-state.part.tsx';
import { LiveTrouble, useLive } from '../live.part.tsx';
import css from './record-list.module.css';
import { RecordWords } from './record-words.part.tsx';

type Page = Answered<typeof listRecords>;

const contract = () => import('../../../contract/computers.ts');

/** The newest page in front of what was read before; alone where something may lie between the two. */
function withNewest(known: Page | undefined, newest: Page): Page {
  const oldest = newest.records.at(-1)?.id;
  const first = known?.records[0]?.id;
  if (!known || newest.next === null || oldest === undefined || first === undefined || first < oldest) return newest;
  return { records: [...newest.records, ...known.records.filter(({ id }) => id < oldest)], next: known.next };
}

interface RecordListProps {
  readonly computers: readonly Computer[];
  readonly news: number;
  readonly wanted: { readonly computer?: string; readonly kind?: string };
}

/** The newest records, and older ones on demand. */
export function RecordList({ computers, news, wanted }: RecordListProps) {
  const ask = async (signal: AbortSignal, before?: string) =>
    sendRequest((await contract()).listRecords, { query: { ...wanted, ...(before && { before }) }, signal });
  const live = useLive<Page>(news, (signal) => ask(signal), withNewest);
  const older = useRequest(async (signal, known: Page) => {
    const { records, next } = await ask(signal, known.next ?? '');
    live.replace({ records: [...known.records, ...records], next });
  });
  const names = new Map(computers.map(({ id, name }) => [id, name]));
  const { when } = useTimes();
  const known = live.answer;
  // Those of a device that was removed are gone, wherever they were read before.
  const records = known?.records.filter(({ computer }) => names.has(computer)) ?? [];
  return (
    <>
      <LiveTrouble live={live} />
      {known && records.length === 0 && (
        <p>
          <Text id={Object.keys(wanted).length > 0 ? 'dashboard.records_no_match' : 'dashboard.records_none'} />
        </p>
      )}
      <ol className={css.list}>
        {records.map(({ id, computer, at, kind, text }) => (
          <Row key={id} at={at} when={when} name={names.get(computer) ?? ''} kind={kind} text={text} />
        ))}
      </ol>
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

interface RowProps {
  readonly at: string;
  readonly when: (at: string) => string;
  readonly name: string;
  readonly kind: string;
  readonly text: string;
}

/** Drawn once: of thousands only those that are new, and laid out only where somebody looks. */
const Row = memo(function Row({ at, when, name, kind, text }: RowProps) {
  return (
    <li className={css.row}>
      <time className={css.detail} dateTime={at}>
        {when(at)}
      </time>
      <span className={css.detail}>
        <bdi>{name}</bdi>
      </span>
      <span className={css.words}>
        <RecordWords kind={kind} text={text} />
      </span>
    </li>
  );
});
