import { useId, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { saveFile } from '../../../browser/platform/save-file.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Failed, Overdue } from '../../../ui/feedback/feedback.tsx';
import { Chevron, icon } from '../../../ui/icons.tsx';
import { Menu } from '../../../ui/menus/menu.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { listRecords } from '../../contract/computers.ts';
import type { Computer } from '../devices/device-state.part.tsx';
import { csvHead, csvOf, type NamedRecord } from './csv.part.ts';
import css from './export-records.module.css';
import { requestOf, type Selection } from './record-query.part.ts';
import type { DeviceRecord } from './record-rows.part.tsx';

type ExportFormat = 'csv' | 'jsonl';

/** Records in a request, the most that the server sends. */
const pageSize = 200;

const formats = {
  csv: { name: 'device-records.csv', type: 'text/csv', head: csvHead, write: csvOf },
  jsonl: {
    name: 'device-records.jsonl',
    type: 'application/jsonl',
    head: '',
    write: (record: NamedRecord) => `${JSON.stringify(record)}\n`,
  },
};

interface Export {
  readonly format: ExportFormat;
  readonly selection: Selection;
  readonly computers: readonly Computer[];
  readonly signal: AbortSignal;
}

/** Downloads all records of a selection, page by page, so that neither side ever holds all of them in memory. */
async function exportRecords({ format, selection, computers, signal }: Export): Promise<void> {
  const { name, type, head, write } = formats[format];
  const devices = new Map(computers.map((computer) => [computer.id, computer]));
  const parts: BlobPart[] = [head];
  for (let before: string | null = ''; before !== null; ) {
    const query = requestOf({ ...selection, before }, pageSize);
    const page: { records: DeviceRecord[]; next: string | null } = await sendRequest(listRecords, { query, signal });
    const lines = page.records.map(({ computer, ...record }) => {
      const { name: device = '', tags = [] } = devices.get(computer) ?? {};
      return write({ ...record, device, tags, device_id: computer });
    });
    parts.push(new Blob([lines.join('')]));
    before = page.next;
  }
  saveFile(name, { parts, type });
}

const Arrow = icon(<path d="M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13" />);

const formatLabels = [
  ['csv', 'records.csv'],
  ['jsonl', 'records.jsonl'],
] as const satisfies readonly (readonly [ExportFormat, string])[];

/** Downloads the selected records in one of two formats. */
export function ExportMenu({ selection, computers }: { selection: Selection; computers: readonly Computer[] }) {
  const id = useId();
  const [chosen, choose] = useState<ExportFormat>('csv');
  const { start, restart, state, error } = useRequest(async (signal, format: ExportFormat) => {
    await exportRecords({ format, selection, computers, signal });
  });
  const isPending = state === 'pending';
  return (
    <>
      <div className={css.menu}>
        <Menu
          id={id}
          button={
            <>
              <Arrow />
              <span className={css.words}>
                <Text id={isPending ? 'form.wait' : 'account.download'} />
              </span>
              <Chevron />
            </>
          }
        >
          {(hide) =>
            formatLabels.map(([format, label]) => (
              <button
                key={format}
                type="button"
                onClick={() => {
                  hide();
                  choose(format);
                  void start(format);
                }}
              >
                <Text id={label} />
              </button>
            ))
          }
        </Menu>
        <VisuallyHidden role="status">{isPending && <Text id="form.wait" />}</VisuallyHidden>
      </div>
      <Overdue waiting={isPending} retry={() => restart(chosen)} />
      {error && (
        <div className={css.failure}>
          <Failed failure={error} />
        </div>
      )}
    </>
  );
}
