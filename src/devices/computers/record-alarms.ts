import type { StoreTransaction } from '../../store/database.ts';
import { type AlarmRule, decidingFor, matchesRecord } from '../contract/alarm-rules.ts';
import { type PendingEvent, pendingEventsOf } from '../store/alarm-facts.ts';
import { alarmPlanOf } from '../store/alarm-plans.ts';
import { type ComputersTable, notePendingEvents } from '../store/computers.ts';
import { newestOf, type RecordsTable } from '../store/records.ts';

/** Notes what the rules of the owner say about new records of a computer; the next evaluation reports it. */
export async function noteRecordAlarms(
  trx: StoreTransaction,
  device: ComputersTable,
  records: readonly RecordsTable[],
): Promise<void> {
  const { rules } = await alarmPlanOf(trx, device.account_id);
  const own = decidingFor(rules, { ...device, tags: JSON.parse(device.tags) as string[] });
  const noticed = [...(await unexpectedStop(trx, { device, own, records })), ...matched(own, records)];
  if (noticed.length === 0) return;
  const known = await pendingEventsOf(trx, device.id);
  // Each rule once: an owner hears of it, however many records there are.
  const events = new Map([...known, ...noticed].map((event) => [event.rule, event]));
  await notePendingEvents(trx, { id: device.id, events: JSON.stringify([...events.values()]) });
}

/** The first rule that matches a record decides, also against an alarm. */
function matched(own: readonly AlarmRule[], records: readonly RecordsTable[]): PendingEvent[] {
  return records.flatMap((record) => {
    const rule = own.find(({ when }) => when.event === 'record' && matchesRecord(when, record));
    return rule && rule.by !== 'none' ? [{ kind: 'record' as const, rule: rule.id }] : [];
  });
}

interface Started {
  readonly device: ComputersTable;
  readonly own: readonly AlarmRule[];
  readonly records: readonly RecordsTable[];
}

/** A start that follows a start: the agent ended without saying goodbye. */
async function unexpectedStop(trx: StoreTransaction, { device, own, records }: Started): Promise<PendingEvent[]> {
  const rule = own.find(({ when }) => when.event === 'stopped');
  if (!rule || rule.by === 'none' || !records.some(({ kind }) => kind === 'start')) return [];
  const known = await newestOf(trx, { computerId: device.id, kinds: ['start', 'stop'], limit: records.length + 1 });
  const isNew = new Set(records.map(({ seq }) => seq));
  const at = known.findIndex(
    ({ seq, kind }, place) => isNew.has(seq) && kind === 'start' && known[place + 1]?.kind === 'start',
  );
  return at < 0 ? [] : [{ kind: 'computer_stopped', rule: rule.id }];
}
