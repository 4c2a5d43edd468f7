import { memo } from 'react';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import type { listRecords } from '../../../contract/computers.ts';
import type { Answered } from '../../../contract/endpoint.ts';
import css from './record-rows.module.css';
import { RecordWords } from './record-words.part.tsx';

export type DeviceRecord = Answered<typeof listRecords>['records'][number];

interface RecordRowsProps {
  readonly records: readonly DeviceRecord[];
  /** Names by computer id, for a list of several devices; it hides the records of devices without a name. */
  readonly names?: ReadonlyMap<string, string>;
}

/** Records, the newest first. */
export const RecordRows = memo(function RecordRows({ records, names }: RecordRowsProps) {
  const { brief } = useTimes();
  return (
    <ol className={names ? css.rows : `${css.rows} ${css.ofOne}`}>
      {records.map(({ id, computer, at, kind, text }) => (
        <li key={id} className={css.row}>
          <time className={css.detail} dateTime={at}>
            {brief(at)}
          </time>
          {names && (
            <Link to={`/devices/${encodeURIComponent(computer)}/`} className={css.device}>
              <bdi>{names.get(computer)}</bdi>
            </Link>
          )}
          <span className={css.words}>
            <RecordWords kind={kind} text={text} />
          </span>
        </li>
      ))}
    </ol>
  );
});
