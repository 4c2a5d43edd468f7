import { memo } from 'react';
import { byDay } from '../../../browser/language/by-day.ts';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { useGradually } from '../../../browser/platform/gradually.ts';
import type { listRecords } from '../../../contract/computers/computers.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { DayTitle } from '../../../ui/layouts/day-title.tsx';
import css from './record-rows.module.css';
import { RecordWords, signOfKind } from './record-words.part.tsx';

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
