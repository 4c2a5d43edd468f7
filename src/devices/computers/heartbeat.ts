import type { BodyRead } from '../../contract/endpoint.ts';
import { Failure, refuse, tooMuch } from '../../contract/failures.ts';
import { days, seconds } from '../../contract/units.ts';
import { sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { hourOf } from '../../store/operators/statistics.ts';
import { type AlarmRule, decidingFor, matchesRecord } from '../contract/alarm-rules.ts';
import { endsOfWarnings, type RecordKind, type Warning, warnings } from '../contract/record-kinds.ts';
import { type PendingEvent, passesLimit, pendingEventsOf } from '../store/alarm-facts.ts';
import { alarmPlanOf } from '../store/alarm-plans.ts';
import { clockStep } from '../store/alarm-states.ts';
import {
  type ComputersTable,
  findComputerByToken,
  notePendingEvents,
  noteWarnings,
  recordHeartbeat,
} from '../store/computers.ts';
import { historyWithHeartbeat, withHeartbeat } from '../store/heartbeat-history.ts';
import { judgeSilencesSoon } from '../store/incidents.ts';
import { readingsAfter } from '../store/readings.ts';
import { addRecords, countRecords, dayOf, newestOf, type RecordsTable, seqOf, trimRecords } from '../store/records.ts';
import { runsAfter } from './copies.ts';
import { heartbeat, sendRecords } from './device.contract.ts';

/** A computer that has proved its identity with its token. */
export type DevicePrincipal = ComputersTable;

/** Seconds after which a computer may ask again whether the deletion of its account was canceled. */
const asksAgainAfter = 600;

/**
 * The computer with a device token; throws `not_signed_in`, including for a removed computer. While the deletion of its
 * account is planned, the failure has a `Retry-After`: the token works again if the owner cancels it.
 */
export async function deviceOf({ store }: Service, token: string): Promise<DevicePrincipal> {
  const found = token === '' ? undefined : await findComputerByToken(store, sha256(token));
  if (!found) throw new Failure('not_signed_in');
  const { delete_at: deletion, ...computer } = found;
  if (deletion !== null) throw new Failure('not_signed_in', { retryAfter: asksAgainAfter });
  return computer;
}

/** `network`: where it came from. */
type HeartbeatReport = BodyRead<typeof heartbeat> & { readonly network?: string };

/** Records a heartbeat, with the platform and version that it reports. */
export async function receiveHeartbeat(
  service: Service,
  device: ComputersTable,
  report: HeartbeatReport,
): Promise<void> {
  const now = service.now();
  // A time in the future is from before the clock was set back; it must not hide a silence until then.
  const at = device.last_seen_at > now + clockStep ? now : Math.max(now, device.last_seen_at);
  const readings = readingsAfter(device.readings, report.readings, now);
  const returnsBy = report.goodbye?.returns_in ? at + Math.ceil(seconds(report.goodbye.returns_in)) : null;
  const noted = await recordHeartbeat(service.store, {
    id: device.id,
    platform: report.platform ?? device.platform,
    version: report.version ?? device.version,
    last_seen_at: at,
    signs: withHeartbeat(device, now),
    history: historyWithHeartbeat(device, now),
    left_at: report.goodbye ? at : null,
    left_for: report.goodbye?.reason ?? null,
    returns_by: returnsBy,
    instances: runsAfter(device.instances, report.instance, now),
    address: report.network ?? device.address,
    readings,
    // An announced return may be earlier than the next evaluation, and a limit may be passed.
    isDue: returnsBy !== null || passesLimit(device.alarm_limits, device.readings, readings),
  });
  // The computer was removed after its token was looked up.
  if (!noted) throw refuse(heartbeat, 'not_signed_in');
  // Once an hour, by whichever node hears it first.
  if (hourOf(device.last_seen_at) < hourOf(at)) service.counters.count('devices', 'online');
  await recordIgnored(service, device, report.readings);
  if (device.alarm_silent_at !== null && device.alarm_silent_at === device.last_seen_at)
    await judgeSilencesSoon(service.store, { accountId: device.account_id, now });
}

/** A record for each reading that cannot be true; its id repeats until the record is deleted as too old. */
async function recordIgnored({ store, now }: Service, device: ComputersTable, readings: HeartbeatReport['readings']) {
  const ignored = Object.entries(readings ?? {}).filter(([, value]) => value === undefined);
  const at = now();
  const { id: computerId, account_id } = device;
  const rows = ignored.map(([name], place) => ({
    ...{ seq: seqOf(at, place), account_id, computer_id: computerId, id: `ignored ${name}` },
    ...{ at, kind: 'reading_ignored' satisfies RecordKind, text: name },
  }));
  if (rows.length > 0) await addRecords(store, rows);
}

/** Clocks that were never set show an earlier time: 1970, 2000 or 2010. */
const firstTime = Date.UTC(2020, 0, 1);

interface ReportedRecord {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: string;
  readonly text: string;
}

/**
 * Stores a computer's records, each once however often it arrives. A batch is stored whole or not at all. Throws
 * `too_many_requests` beyond the records of a day.
 */
export async function keepRecords(service: Service, device: ComputersTable, records: readonly ReportedRecord[]) {
  const now = service.now();
  const max = service.config.RECORDS_PER_COMPUTER;
  // A clock that is ahead must not keep its records at the top for years, and one that was never set hides them.
  const timeOf = ({ at }: ReportedRecord) => (at < firstTime ? now : Math.min(now, Math.round(at)));
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
    await trimRecords(trx, { computerId: device.id, added, max });
    // A repeated batch contains nothing new and may be older than the current warnings.
    const warnings = added > 0 ? await warningsAfter(trx, device, rows) : device.warnings;
    if (added > 0) await noteRecordAlarms(trx, device, rows);
    if (warnings !== device.warnings) await noteWarnings(trx, { id: device.id, warnings });
  };
  const place = { from: { source: device.account_id, networks: [] }, lane: 'usual', alone: device.account_id } as const;
  await service.recordBatches.run(place, () => service.store.transaction().execute(addBatch));
  // Agents that know no goodbye end with this record.
  const goodbye = records.at(-1)?.kind === 'stop' ? { reason: 'stop' as const } : null;
  await receiveHeartbeat(service, device, { goodbye });
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

/** Parses stored warnings: their kinds, separated by spaces. */
export const readWarnings = (kept: string): Warning[] => {
  const kinds = kept.split(' ');
  return warnings.filter((warning) => kinds.includes(warning));
};

/**
 * The warnings after new records. The newest record of both kinds decides, because an older one may arrive later. A time
 * long before the computer was added is from a wrong clock: then the order of arrival does.
 */
async function warningsAfter(
  trx: StoreTransaction,
  device: ComputersTable,
  records: readonly RecordsTable[],
): Promise<string> {
  const active = new Set(readWarnings(device.warnings));
  for (const warning of warnings) {
    const kinds: readonly string[] = [warning, endsOfWarnings[warning]];
    const last = records.filter(({ kind }) => kinds.includes(kind)).at(-1);
    if (!last) continue;
    const isTimed = last.at >= device.created_at - days(30);
    const [newest] = isTimed ? await newestOf(trx, { computerId: device.id, kinds, limit: 1 }) : [last];
    const kind = newest?.kind;
    if (kind === warning) active.add(warning);
    else active.delete(warning);
  }
  return warnings.filter((warning) => active.has(warning)).join(' ');
}

/** Notes what the rules of the owner say about new records of a computer; the next evaluation reports it. */
async function noteRecordAlarms(
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
