import { sendRequest } from '../../../browser/requests/send-request.ts';
import { listRecords } from '../../../contract/computers/computers.ts';
import type { Computer } from '../devices/device-state.part.tsx';
import { csvHead, csvOf, type NamedRecord } from './csv.part.ts';
import { requestOf, type Selection } from './record-query.part.ts';
import type { DeviceRecord } from './record-rows.part.tsx';

export type ExportFormat = 'csv' | 'jsonl';

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
export async function exportRecords({ format, selection, computers, signal }: Export): Promise<void> {
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
  save(new Blob(parts, { type }), name);
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
