import type { Service } from '../../../server/service.ts';
import { type ComputersTable, noteWarnings } from '../../../store/computers/computers.ts';
import { addRecords, seqOf, trimRecords } from '../../../store/computers/records.ts';
import { receiveHeartbeat } from './heartbeat.ts';
import { warningsAfter } from './warnings.ts';

interface ReportedRecord {
  readonly id: string;
  readonly at: string | number;
  readonly kind: string;
  readonly text: string;
}

/** Stores a computer's records, each once however often it arrives. A batch is stored whole or not at all. */
export async function keepRecords(service: Service, device: ComputersTable, records: readonly ReportedRecord[]) {
  const now = service.now();
  const most = service.config.RECORDS_PER_COMPUTER;
  // A computer whose clock is ahead must not keep its records at the top for years.
  const timeOf = ({ at }: ReportedRecord) => Math.max(0, Math.min(now, Math.round(new Date(at).getTime())));
  const rows = records.map((record, place) => ({
    seq: seqOf(timeOf(record), place),
    account_id: device.account_id,
    computer_id: device.id,
    id: record.id,
    at: timeOf(record),
    kind: record.kind,
    text: record.text,
  }));
  await service.store.transaction().execute(async (trx) => {
    const added = await addRecords(trx, rows);
    await trimRecords(trx, { computerId: device.id, added, most });
    const inOrder = records.toSorted((one, other) => timeOf(one) - timeOf(other));
    const warnings = warningsAfter(
      device.warnings,
      inOrder.map(({ kind }) => kind),
    );
    // A repeated batch contains nothing new and may be older than the current warnings.
    if (added > 0 && warnings !== device.warnings) await noteWarnings(trx, { id: device.id, warnings });
  });
  await receiveHeartbeat(service, device, {});
  return { accepted: records.length };
}
