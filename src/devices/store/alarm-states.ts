import { sql } from 'kysely';
import { minutes, seconds } from '../../contract/units.ts';
import { engineOf, type Store, type StoreTransaction } from '../../store/database.ts';
import { type ComputersTable, newestSignal } from './computers.ts';

const columns = [
  'id',
  'account_id',
  'name',
  'tags',
  'kind',
  'last_seen_at',
  'left_at',
  'returns_by',
  'warnings',
  'muted_until',
  'readings',
  'alarm_check_at',
  'alarm_silent_at',
  'alarm_warnings',
  'alarm_events',
  'alarm_limits',
] as const satisfies readonly (keyof ComputersTable)[];

/** What the alarms of a computer depend on, besides the rules of its account. */
export type AlarmState = Pick<ComputersTable, (typeof columns)[number]>;

const alarmStates = (store: Store) => store.selectFrom('computers').select(columns);

/** Up to `max` computers whose alarms are due, the longest due first. */
export const dueAlarms = (store: Store, { now, max }: { now: number; max: number }): Promise<AlarmState[]> =>
  alarmStates(store)
    .where('computers.alarm_check_at', '<=', now)
    .orderBy('computers.alarm_check_at')
    .limit(max)
    .execute();

/** Locks those of an account's computers whose alarms are still due. Call `lockAccountRow` before. */
export const lockDueAlarms = (
  trx: StoreTransaction,
  { ids, now }: { ids: readonly string[]; now: number },
): Promise<AlarmState[]> =>
  alarmStates(trx)
    .where('computers.id', 'in', ids)
    .where('computers.alarm_check_at', '<=', now)
    // In this order, so that heartbeats of the same computers never deadlock with it.
    .orderBy('computers.id')
    .$if(engineOf(trx) === 'postgres', (rows) => rows.forNoKeyUpdate())
    .execute();

/** The columns that an evaluation sets, with their PostgreSQL types. */
const evaluatedColumns = {
  alarm_check_at: 'bigint',
  alarm_silent_at: 'bigint',
  alarm_warnings: 'text',
  alarm_events: 'text',
  alarm_limits: 'text',
} as const satisfies Partial<Record<keyof ComputersTable, string>>;

/** What an evaluation leaves behind. */
export type EvaluatedAlarm = Pick<ComputersTable, 'id' | keyof typeof evaluatedColumns>;

/** Stores the result for computers that `lockDueAlarms` has locked. */
export const saveAlarms = (trx: StoreTransaction, evaluated: readonly EvaluatedAlarm[]) =>
  updateEach(
    trx,
    evaluated.map((alarm) => ({ ...alarm, read_check_at: null, read_warnings: null })),
  );

/** Stores the result for computers without an event, unless they have changed since they were read. */
export const rescheduleAlarms = (
  store: Store,
  evaluated: readonly (EvaluatedAlarm & { readonly read: Pick<AlarmState, 'alarm_check_at' | 'warnings'> })[],
) =>
  store.transaction().execute((trx) =>
    updateEach(
      trx,
      evaluated
        .map(({ read, ...alarm }) => ({ ...alarm, read_check_at: read.alarm_check_at, read_warnings: read.warnings }))
        .sort((one, other) => (one.id < other.id ? -1 : 1)),
    ),
  );

type Update = EvaluatedAlarm & { readonly read_check_at: number | null; readonly read_warnings: string | null };

const set = Object.keys(evaluatedColumns);
const passed = Object.entries({ id: 'text', ...evaluatedColumns, read_check_at: 'bigint', read_warnings: 'text' });
const assignments = sql.join(set.map((column) => sql`${sql.ref(column)} = evaluated.${sql.ref(column)}`));
const typed = sql.join(passed.map(([column, type]) => sql`${sql.ref(column)} ${sql.raw(type)}`));
const extracted = sql.join(passed.map(([column]) => sql`value ->> ${sql.lit(column)} as ${sql.ref(column)}`));

/** One statement for all computers, on both engines: a list of rows as JSON is a table. */
async function updateEach(trx: StoreTransaction, updates: readonly Update[]): Promise<void> {
  if (updates.length === 0) return;
  const list = JSON.stringify(updates);
  const rows =
    engineOf(trx) === 'postgres'
      ? sql`jsonb_to_recordset(${list}::jsonb) as evaluated (${typed})`
      : sql`(select ${extracted} from json_each(${list})) as evaluated`;
  await sql`update computers set ${assignments} from ${rows}
    where computers.id = evaluated.id
      and (evaluated.read_check_at is null or
        (computers.alarm_check_at = evaluated.read_check_at and computers.warnings = evaluated.read_warnings))`.execute(
    trx,
  );
}

/** Longest time between two evaluations of any node in normal operation; a longer one is an outage of ours. */
const longestGap = seconds(90);
/** Without a signal from any computer for this long, the service may be unreachable. Agents send one every minute. */
const quietAfter = minutes(3);
/** Computers that were heard in this time before a silence began were active. */
const activeWithin = minutes(2);
/** If the computers of so many accounts fall silent together, the service is unreachable. */
const accountsThatProveIt = 3;
/** A larger step back means that the clock was set back, not corrected. */
export const clockStep = seconds(2);

/** One row for all nodes: whether somebody evaluated alarms, and whether computers could reach us. */
interface AlarmWatchTable {
  id: 1;
  /** The last evaluation by any node. */
  evaluated_at: number;
  /** Silence counts from here at the earliest: the end of our last outage. */
  counted_from: number;
  /** The newest signal from any computer, as far as the nodes know. */
  heard_at: number;
  /** The `heard_at` for which we last checked whether the service is unreachable. */
  judged_at: number;
  unreachable: 0 | 1;
}

declare module '../../store/database.ts' {
  interface Database {
    alarm_watch: AlarmWatchTable;
  }
}

export type AlarmWatch = Omit<AlarmWatchTable, 'id'>;

/**
 * Records that this node evaluates alarms at `evaluated_at`. Finds outages of ours: a gap between evaluations, a clock
 * that was changed, or silence of all computers.
 */
export const watchAlarms = (store: Store, clock: () => number): Promise<AlarmWatch> =>
  store.transaction().execute(async (trx) => {
    const at = clock();
    const never = { evaluated_at: at, counted_from: at, heard_at: at, judged_at: 0 };
    await trx
      .insertInto('alarm_watch')
      .values({ id: 1, ...never, unreachable: 0 })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    const { id: _, ...known } = await trx
      .selectFrom('alarm_watch')
      .selectAll()
      .where('id', '=', 1)
      .$if(engineOf(trx) === 'postgres', (row) => row.forUpdate())
      .executeTakeFirstOrThrow();
    // Read only now: this transaction may have waited for another node's.
    const now = clock();
    const watch = await judgeReach(trx, { watch: await heedTheClock(trx, { watch: known, now }), now, store });
    const evaluated = { ...watch, evaluated_at: now };
    await trx.updateTable('alarm_watch').set(evaluated).where('id', '=', 1).execute();
    return evaluated;
  });

interface Watching {
  readonly watch: AlarmWatch;
  readonly now: number;
}

/** From when on silence counts (ms since the epoch), as far as is known before the next evaluation. */
export async function silenceCountedFrom(store: Store, now: number): Promise<number> {
  const watch = await store
    .selectFrom('alarm_watch')
    .select(['counted_from', 'evaluated_at', 'unreachable'])
    .executeTakeFirst();
  if (!watch) return 0;
  return watch.unreachable === 1 || now - watch.evaluated_at > longestGap ? now : watch.counted_from;
}

/** After a gap, silence counts from now. After a clock was set back, times in the future become the present. */
async function heedTheClock(trx: StoreTransaction, { watch, now }: Watching): Promise<AlarmWatch> {
  if (now >= watch.evaluated_at - clockStep) {
    return now - watch.evaluated_at > longestGap ? { ...watch, counted_from: now } : watch;
  }
  // A silence that was reported stays the same one: both of its times change together.
  await sql`update computers set alarm_check_at = 0,
      last_seen_at = case when last_seen_at > ${now} then ${now} else last_seen_at end,
      alarm_silent_at = case when alarm_silent_at <= ${now} then alarm_silent_at
        when alarm_silent_at = last_seen_at then ${now} end,
      left_at = case when left_at = last_seen_at and left_at > ${now} then ${now} else left_at end,
      returns_by = case when last_seen_at > ${now} then returns_by - last_seen_at + ${now} else returns_by end
    where alarm_check_at > ${now} or last_seen_at > ${now}`.execute(trx);
  const { counted_from, heard_at } = watch;
  return { ...watch, counted_from: Math.min(counted_from, now), heard_at: Math.min(heard_at, now) };
}

/** Finds out whether computers reach us; once they do again, silence counts from now. */
async function judgeReach(
  trx: StoreTransaction,
  { watch, now, store }: Watching & { readonly store: Store },
): Promise<AlarmWatch> {
  const known = Math.max(watch.heard_at, Math.min(now, newestSignal(store)));
  const isQuiet = now - known > quietAfter;
  const mustLook = isQuiet && (watch.unreachable === 1 || watch.judged_at !== known);
  if (!mustLook) return { ...watch, heard_at: known, ...(watch.unreachable === 1 && !isQuiet && back(now)) };
  // A scan, but only while no computer is heard: nodes of an older version do not report what they hear.
  const { heard, accounts } = await activeBefore(trx, known);
  const heardAt = Math.max(known, Math.min(now, heard));
  if (now - heardAt <= quietAfter) return { ...watch, heard_at: heardAt, ...(watch.unreachable === 1 && back(now)) };
  const unreachable = watch.unreachable === 1 || accounts >= accountsThatProveIt ? 1 : 0;
  return { ...watch, heard_at: heardAt, judged_at: heardAt, unreachable };
}

const back = (now: number) => ({ unreachable: 0, counted_from: now }) as const;

async function activeBefore(trx: StoreTransaction, heardAt: number): Promise<{ heard: number; accounts: number }> {
  const { rows } = await sql<{ heard: number | null; accounts: number }>`
    select max(last_seen_at) as heard,
      count(distinct case when last_seen_at > ${heardAt - activeWithin} then account_id end) as accounts
    from computers`.execute(trx);
  return { heard: Number(rows[0]?.heard ?? 0), accounts: Number(rows[0]?.accounts ?? 0) };
}
