import type { listRecords } from '../../contract/computers/computers.ts';
import { recordKinds } from '../../contract/computers/record-kinds.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';

type ComputerRecord = ResponseBody<typeof listRecords>['records'][number];

/** A record of the office’s computers; a higher place is older. */
export const record = (place: number, kind: string, text = 'As the device wrote it.'): ComputerRecord => ({
  id: String(1000 - place).padStart(6, '0'),
  computer: place % 2 === 0 ? 'Front desk' : 'Notebook',
  at: new Date(Date.UTC(2026, 10, 21, 12, -place)).toISOString(),
  kind,
  text,
});

/** A record of each kind, and one of a kind without text of ours. */
export const recordOfEachKind = [...recordKinds, 'door'].map((kind, place) => record(place, kind));
