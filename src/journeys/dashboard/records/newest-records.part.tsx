import { Text } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { listRecords } from '../../../contract/computers/computers.ts';
import { Sheet, SheetEmpty, SheetPart } from '../../../ui/layouts/sheet.tsx';
import { LiveTrouble, useLive } from '../live.part.tsx';
import { RecordRows } from './record-rows.part.tsx';

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
        <Link to={`/records/${computer === undefined ? '' : `?device=${encodeURIComponent(computer)}`}`}>
          <Text id="records.all" />
        </Link>
      }
    >
      {live.failure || !records ? (
        <SheetPart>
          <LiveTrouble live={live} />
          {!live.failure && (
            <p role="status">
              <Text id="frame.loading" />
            </p>
          )}
        </SheetPart>
      ) : null}
      {records?.length === 0 && <SheetEmpty id="dashboard.records_none" />}
      {records && records.length > 0 && <RecordRows records={records} {...(names && { names })} level="h3" />}
    </Sheet>
  );
}
