import { memo } from 'react';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { useGradually } from '../../../browser/platform/gradually.ts';
import type { listRecords } from '../../../contract/computers/computers.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import css from './record-rows.module.css';
import { RecordWords, signOfKind } from './record-words.part.tsx';

export type DeviceRecord = ResponseBody<typeof listRecords>['records'][number];

interface RecordRowsProps {
  readonly records: readonly DeviceRecord[];
  /** Names by computer id, for a list of several devices; it hides the records of devices without a name. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** Records, the newest first. */
export const RecordRows = memo(function RecordRows({ records, names }: RecordRowsProps) {
  const drawn = useGradually({ count: records.length });
  return (
    <ol className={names ? css.rows : `${css.rows} ${css.ofOne}`}>
      {records.map((record, at) =>
        at < drawn ? (
          <Row key={record.id} record={record} names={names} />
        ) : (
          <li key={record.id} className={css.blank} />
        ),
      )}
    </ol>
  );
});

const signs = { lost: css.lost, low: css.low, none: '' };

function Row({ record, names }: { record: DeviceRecord; names: RecordRowsProps['names'] }) {
  const { brief } = useTimes();
  const { computer, at, kind, text } = record;
  return (
    <li className={css.row}>
      <time className={css.detail} dateTime={at}>
        {brief(at)}
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
