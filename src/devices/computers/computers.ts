import { refuse } from '../../contract/failures.ts';
import { readTime } from '../../contract/fields/time.ts';
import { wordsFinder } from '../../contract/plain-text.ts';
import { iso, isoOrNull, minutes } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import { lockAccountRow } from '../../store/accounts/accounts.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { recordRemovedComputers } from '../../store/webhooks/record-event.ts';
import { describeSettling } from '../alarms/incidents/incidents.ts';
import * as contract from '../contract/computers.ts';
import { alarmPlanOf } from '../store/alarm-plans.ts';
import { silenceCountedFrom } from '../store/alarm-states.ts';
import { makeAlarmsDue } from '../store/alarms-due.ts';
import * as computers from '../store/computers.ts';
import { removeComputer as removeFromAccount } from '../store/computers.ts';
import { heartbeatsSince, historyAt } from '../store/heartbeat-history.ts';
import { incidentsOfComputers } from '../store/incident-members.ts';
import { applyRules } from '../store/incidents.ts';
import * as notifications from '../store/notifications.ts';
import { type Paused, pausesAt } from '../store/pauses.ts';
import { readReadings } from '../store/readings.ts';
import { newestRecordsOf, type RecordQuery, type RecordsTable, recordsOf, searchRecords } from '../store/records.ts';
import { isCopied } from './copies.ts';
import { readWarnings } from './heartbeat.ts';

const maxNotifications = 50;

interface OwnedComputer {
  readonly id: string;
  readonly accountId: string;
}

type NewestRecord = Pick<RecordsTable, 'at' | 'kind' | 'text'>;

interface Known {
  readonly now: number;
  /** When silence began to count. */
  readonly countedFrom: number;
  readonly paused: Paused;
  readonly newest: NewestRecord | undefined;
  readonly incidents: Awaited<ReturnType<typeof incidentsOfComputers>>;
}

/** A heartbeat may be late: only a longer absence is explained by off hours. */
const absentAfter = minutes(5);

function offAt(computer: computers.ComputersTable, { now, paused }: Pick<Known, 'now' | 'paused'>) {
  const { left_at, last_seen_at, left_for, returns_by } = computer;
  if (left_at === last_seen_at && left_for !== null && (returns_by === null || paused.offUntil === undefined))
    return { reason: left_for, returns_in: returns_by === null ? null : returns_by - now };
  const isAbsent = paused.offUntil !== undefined && now - last_seen_at >= absentAfter;
  return isAbsent ? { reason: 'off_hours' as const, returns_in: null } : null;
}

const describe = (computer: computers.ComputersTable, { now, countedFrom, paused, newest, incidents }: Known) => ({
  id: computer.id,
  name: computer.name,
  kind: computer.kind,
  tags: JSON.parse(computer.tags) as string[],
  platform: computer.platform,
  version: computer.version,
  created_at: iso(computer.created_at),
  last_seen_at: iso(computer.last_seen_at),
  silent_for: Math.max(0, now - computer.last_seen_at),
  silence: Math.max(0, now - Math.max(computer.last_seen_at, countedFrom, paused.endedAt)),
  off: offAt(computer, { now, paused }),
  muted: computer.muted_until > now || paused.maintenanceUntil !== undefined,
  copied: isCopied(computer.instances, now),
  signs: heartbeatsSince(computer, now),
  warnings: readWarnings(computer.warnings),
  incidents: incidents.map(({ id, kind, acknowledged_at: at }) => ({ id, kind, acknowledged_at: isoOrNull(at) })),
  newest: newest ? { at: iso(newest.at), kind: newest.kind, text: newest.text } : null,
});

export async function listComputers({ store, now: clock }: Service, accountId: string) {
  const [rows, records, plan, countedFrom, incidents] = await Promise.all([
    computers.computersOf(store, accountId),
    newestRecordsOf(store, accountId),
    alarmPlanOf(store, accountId),
    silenceCountedFrom(store, clock()),
    incidentsOfComputers(store, { accountId }),
  ]);
  const incidentsBy = Map.groupBy(incidents, ({ computer_id: id }) => id);
  const newest = new Map(records.map((record) => [record.computer_id, record]));
  const now = clock();
  const pausedAt = pausesAt(plan.pauses, now);
  return {
    settling: await describeSettling(store, { accountId, kept: incidents, now }),
    computers: rows.map((row) => {
      const paused = pausedAt(asDevice(row));
      const known = { newest: newest.get(row.id), incidents: incidentsBy.get(row.id) ?? [] };
      return describe(row, { now, countedFrom, paused, ...known });
    }),
  };
}

/** The version of that list, or of one computer, for a minute: silence and pauses change it without a statement. */
export const versionOfList = async ({ store, now }: Service, accountId: string, id?: string): Promise<string> =>
  `${accountId} ${Math.floor(now() / minutes(1))} ${await computers.versionOfComputers(store, accountId, id)}`;

/** Reads a computer with its history. */
export async function readComputer(service: Service, owned: OwnedComputer) {
  const row = await computers.computerOf(service.store, owned);
  if (!row) throw refuse(contract.readComputer, 'not_found');
  const computer = await describeAlone(service, row);
  const at = service.now();
  return { computer, history: historyAt(row, at), ...readReadings(row.readings, at), at: iso(at) };
}

export async function renameComputer(service: Service, renamed: OwnedComputer & { name: string }) {
  const row = await computers.renameComputer(service.store, renamed);
  if (!row) throw refuse(contract.renameComputer, 'not_found');
  return describeAlone(service, row);
}

/** Replaces the tags of a computer, which may have alarm rules. */
export async function setComputerTags(service: Service, tagged: OwnedComputer & { tags: readonly string[] }) {
  const { id, accountId } = tagged;
  const row = await service.store.transaction().execute(async (trx) => {
    await lockAccountRow(trx, accountId);
    const changed = await computers.setTags(trx, tagged);
    if (changed) {
      await applyRules(trx, { accountId, at: service.now(), computerId: id });
      await makeAlarmsDue(trx, id);
    }
    return changed;
  });
  if (!row) throw refuse(contract.setComputerTags, 'not_found');
  return describeAlone(service, row);
}

const asDevice = ({ id, tags }: Pick<computers.ComputersTable, 'id' | 'tags'>) => ({
  id,
  tags: JSON.parse(tags) as string[],
});

async function describeAlone({ store, now }: Service, row: computers.ComputersTable) {
  const [[newest], plan, countedFrom, incidents] = await Promise.all([
    recordsOf(store, { accountId: row.account_id, computerId: row.id, limit: 1 }),
    alarmPlanOf(store, row.account_id),
    silenceCountedFrom(store, now()),
    incidentsOfComputers(store, { accountId: row.account_id, computerId: row.id }),
  ]);
  const at = now();
  const paused = pausesAt(plan.pauses, at)(asDevice(row));
  return describe(row, { now: at, countedFrom, paused, newest, incidents });
}

/**
 * Removes a computer with all its records, and adds a notification. Returns false if the computer is already gone. Lock
 * the account's row, so that receivers of webhooks get the events of the account in order.
 */
export async function removeComputer(
  trx: StoreTransaction,
  { id, accountId, at, own = true }: OwnedComputer & { readonly at: number; readonly own?: boolean },
): Promise<boolean> {
  const row = await removeFromAccount(trx, { id, accountId });
  if (!row) return false;
  await notifications.notify(trx, { account_id: accountId, at, kind: 'computer_removed', name: row.name, own });
  await recordRemovedComputers(trx, { accountId, ids: [id], at });
  return true;
}

/** Removes the computer that asks for it. Returns false if it is already gone. */
export const leaveAccount = ({ store, now }: Service, { id, accountId }: OwnedComputer): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    await lockAccountRow(trx, accountId);
    return removeComputer(trx, { id, accountId, at: now(), own: false });
  });

interface RecordPageQuery {
  readonly accountId: string;
  readonly before?: string | undefined;
  readonly computer?: string | undefined;
  readonly kind?: string | undefined;
  readonly find?: string | undefined;
  readonly kinds?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : readTime(text));

/** A page of the records of an account's computers. */
export async function listRecords(
  { store }: Service,
  { computer: computerId, since, until, find = '', kinds = '', ...wanted }: RecordPageQuery,
) {
  const query = { ...wanted, since: timeOf(since), until: timeOf(until), computerId };
  const { rows, next } =
    find === '' ? await pageOf(store, query) : await searchRecords(store, query, finder(find, kinds));
  return {
    records: rows.map(({ seq, computer_id, at, kind, text }) => ({
      id: seq,
      computer: computer_id,
      at: iso(at),
      kind,
      text,
    })),
    next: next ?? null,
  };
}

async function pageOf(store: Store, query: RecordQuery) {
  const rows = await recordsOf(store, { ...query, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  return { rows: page, next: rows.length > page.length ? page.at(-1)?.seq : undefined };
}

function finder(find: string, kinds: string) {
  const hasWords = wordsFinder(find);
  const named = kinds.split(' ');
  return ({ kind, text }: Pick<RecordsTable, 'kind' | 'text'>) =>
    named.includes(kind) || hasWords(`${kind.replaceAll('_', ' ')} ${text}`);
}

export async function listNotifications({ store }: Service, accountId: string) {
  const rows = await notifications.notificationsOf(store, { accountId, limit: maxNotifications });
  return {
    notifications: rows.map(({ id, at, kind, name, read_at, computer_id, began_at, ended_at }) => ({
      id,
      at: iso(at),
      kind,
      name,
      computer: computer_id,
      began_at: isoOrNull(began_at),
      ended_at: isoOrNull(ended_at),
      read: read_at !== null,
    })),
    unread: await notifications.countUnread(store, accountId),
  };
}

export const readAllNotifications = ({ store, now }: Service, accountId: string) =>
  notifications.readAllNotifications(store, { accountId, at: now() });

export async function readNotification({ store, now }: Service, read: OwnedComputer): Promise<void> {
  if (!(await notifications.readNotification(store, { ...read, at: now() })))
    throw refuse(contract.readNotification, 'not_found');
}
