import { memo } from 'react';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { byDay, useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { useGradually } from '../../../browser/platform/timers.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Sheet, SheetEmpty, SheetPart } from '../../../ui/layouts/card.tsx';
import { DayTitle } from '../../../ui/layouts/page-head.tsx';
import { listRecords } from '../../contract/computers.ts';
import { type RecordKind, recordKinds, warnings } from '../../contract/record-kinds.ts';
import { LiveTrouble, useLive } from '../live.part.tsx';
import css from './record-rows.module.css';

export type DeviceRecord = ResponseBody<typeof listRecords>['records'][number];

interface RecordRowsProps {
  readonly records: readonly DeviceRecord[];
  /** Names by computer id, for a list of several devices; it hides the records of devices without a name. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** Heading level of the days. */
  readonly level: 'h2' | 'h3';
}

/** Records by day, the newest first. */
export const RecordRows = memo(function RecordRows({ records, names, level }: RecordRowsProps) {
  const drawn = useGradually({ count: records.length });
  const isDrawn = new Set(records.slice(0, drawn));
  return byDay(records).map(({ date, entries }) => (
    <section key={date} className={css.day}>
      <DayTitle at={entries[0].at} level={level} />
      <ol className={names ? css.rows : `${css.rows} ${css.ofOne}`}>
        {entries.map((record) =>
          isDrawn.has(record) ? (
            <Row key={record.id} record={record} names={names} />
          ) : (
            <li key={record.id} className={css.blank} />
          ),
        )}
      </ol>
    </section>
  ));
});

const signs = { lost: css.lost, low: css.low, none: '' };

function Row({ record, names }: { record: DeviceRecord; names: RecordRowsProps['names'] }) {
  const { time } = useTimes();
  const { computer, at, kind, text } = record;
  return (
    <li className={css.row}>
      <time className={css.detail} dateTime={at}>
        {time(at)}
      </time>
      {names && (
        <Link to={`/devices/${encodeURIComponent(computer)}/`} className={css.device}>
          <bdi>{names.get(computer)}</bdi>
        </Link>
      )}
      <span className={`${css.words} ${signs[signOfKind(kind)]}`}>
        <RecordWords kind={kind} text={text} />
      </span>
    </li>
  );
}

/** The text of each kind, for records and warnings. */
export const kindWords = {
  start: 'dashboard.kind_start',
  stop: 'dashboard.kind_stop',
  network_lost: 'dashboard.kind_network_lost',
  network_back: 'dashboard.kind_network_back',
  disk_low: 'dashboard.kind_disk_low',
  disk_enough: 'dashboard.kind_disk_enough',
  battery_low: 'dashboard.kind_battery_low',
  battery_enough: 'dashboard.kind_battery_enough',
  reading_ignored: 'dashboard.kind_reading_ignored',
} as const satisfies Record<RecordKind, MessageId>;

const isKnown = (kind: string): kind is RecordKind => recordKinds.some((known) => known === kind);

/** The text of a kind of record; undefined for a device's own kinds. */
export const wordsOfKind = (kind: string): MessageId | undefined => (isKnown(kind) ? kindWords[kind] : undefined);

/** Decorative, with the shapes of a device's states: whether a record reports a loss, a shortage, or neither. */
function signOfKind(kind: string): 'lost' | 'low' | 'none' {
  if (kind === 'stop' || kind === 'network_lost') return 'lost';
  return warnings.some((warning) => warning === kind) ? 'low' : 'none';
}

/** A device's own kind as words: `door_open` → `Door open`. */
export function readableKind(kind: string): string {
  const words = kind.replaceAll(/[_.:/-]+/g, ' ').trim() || kind;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Texts of our agent (`bin/agent/`) that say no more than the kind. */
const repeats: readonly string[] = [
  'The agent was started.',
  'The agent was stopped.',
  'The network is back.',
  'The network was lost.',
  'The battery is low.',
  'The battery is charged again.',
];

interface RecordWordsProps {
  readonly kind: string;
  readonly text: string;
  /** In one line. */
  readonly brief?: boolean;
}

/** A record: its kind, in the page's language if we know it, and the text as the device wrote it. */
export function RecordWords({ kind, text, brief = false }: RecordWordsProps) {
  const known = wordsOfKind(kind);
  return (
    <span className={brief ? css.brief : undefined} title={brief ? text : undefined}>
      {known ? <Text id={known} /> : <bdi>{readableKind(kind)}</bdi>}
      {text && !repeats.includes(text) && (
        <>
          {' '}
          <bdi className={css.text}>{text}</bdi>
        </>
      )}
    </span>
  );
}

const limit = '10';

interface NewestRecordsProps {
  /** Names by computer id, for the records of several devices. */
  readonly names?: ReadonlyMap<string, string>;
  /** The only device, by its id. */
  readonly computer?: string;
  readonly news: number;
}

/** The newest records, with a link to all of them. */
export function NewestRecords({ names, computer, news }: NewestRecordsProps) {
  const live = useLive(news, async (signal) => {
    return sendRequest(listRecords, { query: { limit, ...(computer !== undefined && { computer }) }, signal });
  });
  const records = live.answer?.records.filter((record) => names?.has(record.computer) ?? true);
  return (
    <Sheet
      title="dashboard.records"
      aside={
        <Link
          to={`/records/${computer === undefined ? '' : `?device=${encodeURIComponent(computer)}`}`}
          text="records.all"
        />
      }
    >
      {live.failure || !records ? (
        <SheetPart>
          <LiveTrouble live={live} />
          {!live.failure && <Paragraph role="status" id="frame.loading" />}
        </SheetPart>
      ) : null}
      {records?.length === 0 && <SheetEmpty id="dashboard.records_none" />}
      {records && records.length > 0 && <RecordRows records={records} {...(names && { names })} level="h3" />}
    </Sheet>
  );
}
