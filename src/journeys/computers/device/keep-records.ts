import { days } from '../../../contract/durations.ts';
import { tooMuch } from '../../../contract/refuse.ts';
import type { Service } from '../../../server/service.ts';
import { type ComputersTable, noteWarnings } from '../../../store/computers/computers.ts';
import { countRecords, dayOf } from '../../../store/computers/record-counts.ts';
import { addRecords, seqOf, trimRecords } from '../../../store/computers/records.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { sendRecords } from './device.contract.ts';
import { receiveHeartbeat } from './heartbeat.ts';
import { warningsAfter } from './warnings.ts';

interface ReportedRecord {
  readonly id: string;
  readonly at: string | number;
  readonly kind: string;
  readonly text: string;
}

/**
 * Stores a computer's records, each once however often it arrives. A batch is stored whole or not at all. Throws
 * `too_many_requests` beyond the records of a day.
 */
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
  const addBatch = async (trx: StoreTransaction) => {
    const added = await addRecords(trx, rows);
    await requireRoomToday(service, trx, { device, added });
    await trimRecords(trx, { computerId: device.id, added, most });
    const inOrder = records.toSorted((one, other) => timeOf(one) - timeOf(other));
    const warnings = warningsAfter(
      device.warnings,
      inOrder.map(({ kind }) => kind),
    );
    // A repeated batch contains nothing new and may be older than the current warnings.
    if (added > 0 && warnings !== device.warnings) await noteWarnings(trx, { id: device.id, warnings });
  };
  const place = { from: { source: device.account_id, networks: [] }, lane: 'usual', alone: device.account_id } as const;
  await service.recordBatches.run(place, () => service.store.transaction().execute(addBatch));
  await receiveHeartbeat(service, device, {});
  return { accepted: records.length };
}

/** Counts added records; beyond a limit of the day, the transaction is rolled back, and the agent keeps its records. */
async function requireRoomToday(
  { config, now }: Service,
  trx: StoreTransaction,
  { device, added }: { device: ComputersTable; added: number },
): Promise<void> {
  if (added === 0) return;
  const at = now();
  const { account_id: accountId, id: computerId } = device;
  const sent = await countRecords(trx, { accountId, computerId, now: at, records: added });
  if (sent.ofComputer <= config.RECORDS_PER_COMPUTER_PER_DAY && sent.ofAccount <= config.RECORDS_PER_ACCOUNT_PER_DAY)
    return;
  throw tooMuch(sendRecords, 'too_many_requests', days(dayOf(at) + 1) - at);
}
