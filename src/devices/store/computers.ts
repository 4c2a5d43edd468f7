import { type RawBuilder, sql } from 'kysely';
import { minutes } from '../../contract/units.ts';
import { openBatchesByStore, openLookup } from '../../store/batching.ts';
import { engineOf, type Store, type StoreTransaction } from '../../store/database.ts';
import { singleUse } from '../../store/single-use.ts';
import type { DeviceKind, GoodbyeReason } from '../contract/record-kinds.ts';
import { forgetAlarmPlan } from './alarm-plans.ts';
import { dueNow } from './alarms-due.ts';
import { notify } from './notifications.ts';

/** A computer or smartphone that reports to an account: it has a secret token, and we store its SHA-256. */
export interface ComputersTable {
  /** 128 random bits, base64url. */
  id: string;
  account_id: string;
  name: string;
  kind: DeviceKind;
  /** A JSON array of strings, as its owner groups computers. */
  tags: string;
  /** The platform that the device reports: `linux`, `Windows 11`, … */
  platform: string;
  version: string | null;
  token_hash: string;
  created_at: number;
  last_seen_at: number;
  /** A `1` for each quarter of an hour with a heartbeat, the newest last (`heartbeat-history.ts`). */
  signs: string;
  /** A digit for each three hours of up to thirty days, the newest last (`heartbeat-history.ts`). */
  history: string;
  /** Records added since the last check of their number. */
  records_since_trim: number;
  /** Current warnings from its records. */
  warnings: string;
  /** The `last_seen_at` of the heartbeat with which it said goodbye; if it equals that, the computer is off. */
  left_at: number | null;
  left_for: GoodbyeReason | null;
  /** When it announced to be back. */
  returns_by: number | null;
  /** Which runs of its agent it named (`computers/copies.ts`). */
  instances: string;
  /** The network that it last reported from: an IPv4 address, or the first 64 bits of an IPv6 address. */
  address: string | null;
  /** What it last said about itself (`readings.ts`). */
  readings: string;
  /** When its alarms are evaluated next; 0 or less: as soon as possible (`alarm-states.ts`). */
  alarm_check_at: number;
  /** The `last_seen_at` of the silence that was reported last; it identifies that silence. */
  alarm_silent_at: number | null;
  /** The alarms besides silence that were reported and have not ended since. */
  alarm_warnings: string;
  /** Until when it causes no alarms (ms since the epoch); 0 if it never was muted. */
  muted_until: number;
  /** What happened since the last evaluation and has no duration, as JSON (`alarm-facts.ts`). */
  alarm_events: string;
  /** The limits that its rules compare its values with, as JSON: crossing one makes its alarms due. */
  alarm_limits: string;
}

declare module '../../store/database.ts' {
  interface Database {
    computers: ComputersTable;
    enrolments: EnrolmentsTable;
  }
}

/** Columns of a computer that has not reported yet; a new column with a first value is added here. */
const unreported = {
  kind: 'computer',
  tags: '[]',
  version: null,
  history: '',
  records_since_trim: 0,
  warnings: '',
  left_at: null,
  left_for: null,
  returns_by: null,
  instances: '',
  address: null,
  readings: '',
  alarm_check_at: 0,
  alarm_silent_at: null,
  alarm_warnings: '',
  muted_until: 0,
  alarm_events: '',
  alarm_limits: '',
} as const satisfies Partial<ComputersTable>;

type NewComputer = Omit<ComputersTable, keyof typeof unreported> &
  Partial<Pick<ComputersTable, 'kind' | 'history' | 'tags'>>;

export const addComputer = (trx: StoreTransaction, computer: NewComputer) =>
  trx
    .insertInto('computers')
    .values({ ...unreported, ...computer })
    .execute();

const computersWith = openLookup('token_hash', (store, isKey) =>
  store
    .selectFrom('computers')
    .innerJoin('accounts', 'accounts.id', 'computers.account_id')
    .selectAll('computers')
    .select('accounts.delete_at')
    .where(isKey('computers.token_hash')),
);

/** The computer with a token, and when its account will be deleted, unless a sign-in cancels that. */
export const findComputerByToken = async (
  store: Store,
  tokenHash: string,
): Promise<(ComputersTable & { readonly delete_at: number | null }) | undefined> =>
  (await computersWith(store, tokenHash))[0];

/** An account's computers in the order in which they were added. */
export const computersOf = (store: Store, accountId: string) =>
  store
    .selectFrom('computers')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export async function countComputers(store: Store, accountId: string): Promise<number> {
  const { count } = await store
    .selectFrom('computers')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The columns that a heartbeat sets, with their PostgreSQL types. */
const reported = {
  last_seen_at: 'bigint',
  signs: 'text',
  history: 'text',
  platform: 'text',
  version: 'text',
  left_at: 'bigint',
  left_for: 'text',
  returns_by: 'bigint',
  instances: 'text',
  address: 'text',
  readings: 'text',
} as const satisfies Partial<Record<keyof ComputersTable, string>>;
type Reported = keyof typeof reported;
type SignOfLife = Pick<ComputersTable, 'id' | Reported> & {
  /** It may change what its alarms say, such as by a return that it announces. */
  readonly isDue: boolean;
};

const columns = Object.keys(reported) as Reported[];

const assignments = sql.join(columns.map((column) => sql`${sql.ref(column)} = reported.${sql.ref(column)}`));
const names = sql.join(columns.map((column) => sql.ref(column)));

const dueIf = (isDue: RawBuilder<unknown>) => sql`case when ${isDue} = 1 then ${dueNow} else alarm_check_at end`;

/**
 * If a batch has several heartbeats of one computer, the last one counts, as if they had arrived one after the other.
 */
const seenTogether = openBatchesByStore(async (store, batch: readonly SignOfLife[]) => {
  const last = [...new Map(batch.map((sign) => [sign.id, sign])).values()];
  // Sorted by id, so that nodes that update the same computers wait for each other but never deadlock.
  last.sort((one, other) => (one.id < other.id ? -1 : 1));
  const values = columns.map((column) => sql`${last.map((sign) => sign[column])}::${sql.raw(reported[column])}[]`);
  const { rows } = await sql<{ id: string }>`
    update computers set ${assignments}, alarm_check_at = ${dueIf(sql`reported.is_due`)}
    from unnest(${last.map(({ id }) => id)}::text[], ${last.map(({ isDue }) => Number(isDue))}::int[],
      ${sql.join(values)}) as reported (id, is_due, ${names})
    where computers.id = reported.id
    returning computers.id`.execute(store);
  const noted = new Set(rows.map(({ id }) => id));
  return batch.map(({ id }) => noted.has(id));
});

/** The newest heartbeat that this node recorded, by store. */
const newestSignals = new WeakMap<Store, number>();

/** When this node last recorded a heartbeat (ms since the epoch); 0 if it has not yet. */
export const newestSignal = (store: Store): number => newestSignals.get(store) ?? 0;

async function seenAlone(store: Store, { id, isDue, ...report }: SignOfLife): Promise<boolean> {
  const { rows } =
    await sql`update computers set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = ${report[column]}`))},
      alarm_check_at = ${dueIf(sql`${Number(isDue)}`)}
    where id = ${id} returning id`.execute(store);
  return rows.length > 0;
}

/** Records a heartbeat with its data; false, without a change, if the computer was removed meanwhile. */
export async function recordHeartbeat(store: Store, sign: SignOfLife): Promise<boolean> {
  const isRecorded = await (engineOf(store) === 'postgres' ? seenTogether(store, sign) : seenAlone(store, sign));
  if (isRecorded) newestSignals.set(store, sign.last_seen_at);
  return isRecorded;
}

/** Stores the current warnings, and makes the computer's alarms due. */
export const noteWarnings = (trx: StoreTransaction, { id, warnings }: Pick<ComputersTable, 'id' | 'warnings'>) =>
  trx.updateTable('computers').set({ warnings, alarm_check_at: dueNow }).where('id', '=', id).execute();

/** Stores what happened since the last evaluation, as JSON, and makes the computer's alarms due. */
export const notePendingEvents = (trx: StoreTransaction, { id, events }: { id: string; events: string }) =>
  trx.updateTable('computers').set({ alarm_events: events, alarm_check_at: dueNow }).where('id', '=', id).execute();

export interface OwnedComputer {
  readonly id: string;
  readonly accountId: string;
}

/** One of an account's computers; undefined if the account has no computer with this id. */
export const computerOf = (store: Store, { id, accountId }: OwnedComputer) =>
  store.selectFrom('computers').selectAll().where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst();

/** Returns the renamed computer; undefined if the account has no computer with this id. */
export const renameComputer = (store: Store, { id, accountId, name }: OwnedComputer & { name: string }) =>
  store
    .updateTable('computers')
    .set({ name })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst();

/** Returns the computer with its new tags; undefined if the account has no computer with this id. */
export const setTags = (trx: StoreTransaction, { id, accountId, tags }: OwnedComputer & { tags: readonly string[] }) =>
  trx
    .updateTable('computers')
    .set({ tags: JSON.stringify(tags) })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst();

/** How long a code works after it was requested. */
export const enrolmentLifetime = minutes(15);

/** A code that adds one computer to an account. */
interface EnrolmentsTable {
  /** SHA-256 of the code. */
  code_hash: string;
  account_id: string;
  created_at: number;
  used_at: number | null;
}

export const enrolments = singleUse('enrolments', { lifetime: enrolmentLifetime, keeps: true });

/**
 * A text that changes whenever an account's computers (or the one with this id), its incidents or unread notifications
 * do.
 */
export async function versionOfComputers(store: Store, accountId: string, id?: string): Promise<string> {
  const own = id === undefined ? sql`` : sql`and id = ${id}`;
  const reporter =
    id === undefined ? sql`account_id = ${accountId}` : sql`computer_id = ${id} and account_id || '' = ${accountId}`;
  const { rows } = await sql<Record<string, unknown>>`select
    (select string_agg(id || name || tags || last_seen_at || muted_until, ',' order by id)
      from computers where account_id = ${accountId} ${own}) as computers,
    (select max(seq) from records where ${reporter}) as record,
    (select max(id) from notifications where account_id = ${accountId}) as notification,
    (select count(*) from notifications where account_id = ${accountId} and read_at is null) as unread,
    (select string_agg(id || changed_at || coalesce(seen_at, 0) || coalesce(acknowledged_at, 0), ',' order by id)
      from incidents where account_id = ${accountId} and due_at is not null) as incidents,
    (select pauses from alarm_plans where account_id = ${accountId}) as pauses`.execute(store);
  return JSON.stringify(rows[0]);
}

/** Removes a computer with its token and all its records; undefined if the account has no computer with this id. */
export const removeComputer = (store: Store, { id, accountId }: OwnedComputer) =>
  store
    .deleteFrom('computers')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('name')
    .executeTakeFirst();

/** Removes an account's computers, their notifications and alarm rules. Returns the ids of removed computers. */
export async function removeComputersOf(trx: StoreTransaction, accountId: string): Promise<string[]> {
  const removed = await trx.deleteFrom('computers').where('account_id', '=', accountId).returning('id').execute();
  await trx.deleteFrom('notifications').where('account_id', '=', accountId).execute();
  await forgetAlarmPlan(trx, accountId);
  return removed.map(({ id }) => id);
}

/**
 * Removes the computers that were added to an account since then (ms since the epoch), each with a notification. Returns
 * their ids.
 */
export async function removeComputersSince(
  trx: StoreTransaction,
  { accountId, since, at }: { accountId: string; since: number; at: number },
): Promise<string[]> {
  const removed = await trx
    .deleteFrom('computers')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .returning(['id', 'name'])
    .execute();
  for (const { name } of removed) await notify(trx, { account_id: accountId, at, kind: 'computer_removed', name });
  return removed.map(({ id }) => id);
}
