import { tooMuch } from '../../contract/failures.ts';
import { days, hours, iso, minutes } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import type { Store } from '../../store/database.ts';
import { countRequest, limitKey } from '../../store/rate-limits.ts';
import { type ConditionOf, decidingFor, kindOf, matchesRecord, type NewAlarmRule } from '../contract/alarm-rules.ts';
import { historyHours } from '../contract/record-kinds.ts';
import { alarmPlanOf } from '../store/alarm-plans.ts';
import { type ComputersTable, computersOf } from '../store/computers.ts';
import { historyAt, historyBase, quartersOfSpan, spanOf } from '../store/heartbeat-history.ts';
import { pausesAt, type Span } from '../store/pauses.ts';
import { type RecordsTable, recordsOf } from '../store/records.ts';
import { type Preview, previewAlarmRule } from './rules.contract.ts';
import { gapsOf } from './usually-off.ts';

const period = days(30);
const previewsAnHour = 240;
const shown = 5;
/** Records that one preview reads at most, and at a time: a long one must delay neither the database nor the process. */
const readAtMost = 5000;
const batchSize = 1000;

/** An alarm that a rule would have caused. */
interface Cause {
  readonly computer: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface Found {
  readonly causes: readonly Cause[];
  readonly complete: boolean;
}

/** Finds what a rule would have reported in the last 30 days, from what is stored about the devices for which it decides. */
export async function previewRule(
  { store, now: clock }: Pick<Service, 'store' | 'now'>,
  accountId: string,
  { id = '', ...body }: NewAlarmRule & { readonly id?: string | undefined },
): Promise<Preview> {
  const now = clock();
  const limit = { key: limitKey('alarm-preview', accountId), limit: previewsAnHour, within: hours(1) };
  const counted = await countRequest(store, [limit], now);
  if (counted.state === 'refused') throw tooMuch(previewAlarmRule, 'too_many_requests', counted.freeAt - now);
  const [computers, { rules, pauses }] = await Promise.all([
    computersOf(store, accountId),
    alarmPlanOf(store, accountId),
  ]);
  const rule = { ...body, id };
  const list = rules.some((known) => known.id === id)
    ? rules.map((known) => (known.id === id ? rule : known))
    : [rule, ...rules];
  const own = computers.filter((computer) => decidingFor(list, deviceOf(computer)).includes(rule));
  const { when } = rule;
  const found =
    when.event === 'silent'
      ? await findSilences(store, { own, now, after: minutes(when.after_minutes) })
      : await findInRecords(store, { accountId, now, kinds: kindsFor(rule), own, when });
  const names = new Map(own.map((computer) => [computer.id, computer.name]));
  const isPaused = (cause: Cause) => {
    const computer = own.find((one) => one.id === cause.computer);
    const paused = computer && pauses.length > 0 ? pausesAt(pauses, cause.at)(deviceOf(computer)) : undefined;
    return paused?.maintenanceUntil !== undefined || (when.event === 'silent' && paused?.offUntil !== undefined);
  };
  const causes = found.causes
    .filter((cause) => names.has(cause.computer) && cause.at <= now && !isPaused(cause))
    .toSorted((one, other) => other.at - one.at);
  return {
    count: causes.length,
    complete: found.complete,
    newest: causes
      .slice(0, shown)
      .map(({ computer, at }) => ({ at: iso(at), computer, name: names.get(computer) ?? '' })),
  };
}

const deviceOf = ({ id, kind, tags }: ComputersTable) => ({ id, kind, tags: JSON.parse(tags) as string[] });

interface Silences {
  readonly own: readonly ComputersTable[];
  readonly now: number;
  readonly after: number;
}

/** The times without heartbeats that no record of a stop explains. */
async function findSilences(store: Store, { own, now, after }: Silences): Promise<Found> {
  const [first] = own;
  if (!first) return { causes: [], complete: true };
  const stops = await readRecords(store, { accountId: first.account_id, kind: 'stop', now });
  const stopsOf = Map.groupBy(stops.records, (record) => record.computer_id);
  const isStop = (computer: string, { from }: Span) =>
    stopsOf.get(computer)?.some(({ at }) => Math.abs(at - from) < minutes(30));
  const causes = own.flatMap((computer) =>
    silencesOf(computer, now)
      .filter((gap) => gap.until - gap.from >= after && gap.from > now - period && !isStop(computer.id, gap))
      .map((gap) => ({ computer: computer.id, at: gap.from + after })),
  );
  return { causes, complete: stops.complete && after >= hours(historyHours) };
}

/** Long ones as precisely as the history says, and short ones by how many quarter hours of three hours they lack. */
function silencesOf(computer: ComputersTable, now: number): Span[] {
  const counts = [...historyAt(computer, now)].map((digit) => Number.parseInt(digit, historyBase));
  const begin = hours(historyHours) * (spanOf(now) - counts.length + 1);
  const short = counts.slice(0, -1).flatMap((count, at): Span[] => {
    const isAlone = count > 0 && at > 0 && counts[at - 1] !== 0 && counts[at + 1] !== 0;
    const from = begin + hours(historyHours) * at;
    return isAlone && count < quartersOfSpan ? [{ from, until: from + minutes(15) * (quartersOfSpan - count) }] : [];
  });
  const isOff = computer.left_at === computer.last_seen_at;
  return [...gapsOf(computer, now).gaps, ...short, ...(isOff ? [] : [{ from: computer.last_seen_at, until: now }])];
}

interface RecordSearch {
  readonly accountId: string;
  readonly kind?: string | undefined;
  readonly now: number;
}

type FoundRecord = Pick<RecordsTable, 'computer_id' | 'at' | 'kind' | 'text'>;

/** Records of the last 30 days, the newest first. */
async function readRecords(store: Store, { accountId, kind, now }: RecordSearch) {
  const records: FoundRecord[] = [];
  let before: string | undefined;
  for (let read = 0; read < readAtMost; read += batchSize) {
    const batch = await recordsOf(store, { accountId, kind, before, since: now - period, limit: batchSize });
    records.push(...batch);
    if (batch.length < batchSize) return { records, complete: true };
    before = batch.at(-1)?.seq;
  }
  return { records, complete: false };
}

/** The kinds of records by which such alarms are known; undefined for any. */
function kindsFor(rule: Pick<NewAlarmRule, 'when'>): readonly string[] | undefined {
  const { when } = rule;
  if (when.event === 'record') return when.kind === '' ? undefined : [when.kind];
  return when.event === 'stopped' ? ['start', 'stop'] : [kindOf(rule)];
}

interface RecordCauses extends RecordSearch {
  readonly kinds: readonly string[] | undefined;
  readonly own: readonly ComputersTable[];
  readonly when: Exclude<NewAlarmRule['when'], ConditionOf<'silent'>>;
}

async function findInRecords(store: Store, { accountId, now, kinds = [], when }: RecordCauses): Promise<Found> {
  const parts = await Promise.all(
    (kinds.length === 0 ? [undefined] : kinds).map((kind) => readRecords(store, { accountId, kind, now })),
  );
  const records = parts.flatMap((part) => part.records);
  // Of values, only warnings are stored, by the agents’ own limits.
  const complete = parts.every((part) => part.complete) && when.event !== 'value';
  const causes =
    when.event === 'stopped'
      ? unexpectedStops(records)
      : records.filter((record) => when.event !== 'record' || matchesRecord(when, record));
  return { causes: causes.map(({ computer_id, at }) => ({ computer: computer_id, at })), complete };
}

/** A start that follows a start: nothing said goodbye in between. */
function unexpectedStops(records: readonly FoundRecord[]): FoundRecord[] {
  const byComputer = Map.groupBy(records, (record) => record.computer_id);
  return [...byComputer.values()].flatMap((own) => {
    const inOrder = own.toSorted((one, other) => one.at - other.at);
    return inOrder.filter((record, at) => record.kind === 'start' && inOrder[at - 1]?.kind === 'start');
  });
}
