import { sql } from 'kysely';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';
import { ruleColumns } from './alarm-rules.ts';
import { appliedRule } from './applied-alarm-rules.ts';
import type { ComputersTable } from './computers.ts';

/** A computer with the rules that apply to it; the account's are null if it has the defaults. */
export type AlarmState = Pick<
  ComputersTable,
  'id' | 'account_id' | 'name' | 'last_seen_at' | 'warnings' | 'alarm_check_at' | 'alarm_silent_at' | 'alarm_warnings'
> &
  Readonly<Record<(typeof ruleColumns)[number] | 'muted_until', number | null>>;

const alarmStates = (store: Store) =>
  store
    .selectFrom('computers')
    .select([
      'id',
      'account_id',
      'name',
      'last_seen_at',
      'warnings',
      'alarm_check_at',
      'alarm_silent_at',
      'alarm_warnings',
    ])
    .select(ruleColumns.map((rule) => appliedRule(store, rule).as(rule)))
    .select((computer) =>
      computer
        .selectFrom('alarm_overrides')
        .select('muted_until')
        .whereRef('computer_id', '=', 'computers.id')
        .as('muted_until'),
    );

/** Up to `most` computers whose alarms are due, the longest due first. */
export const dueAlarms = (store: Store, { now, most }: { now: number; most: number }): Promise<AlarmState[]> =>
  alarmStates(store)
    .where('computers.alarm_check_at', '<=', now)
    .orderBy('computers.alarm_check_at')
    .limit(most)
    .execute();

/** Locks those of an account's computers whose alarms are still due. Call `lockAccountRow` before. */
export const holdDueAlarms = (
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

/** What an evaluation leaves behind. */
export type EvaluatedAlarm = Pick<ComputersTable, 'id' | 'alarm_check_at' | 'alarm_silent_at' | 'alarm_warnings'>;

/** Stores the result for computers that `holdDueAlarms` has locked. */
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

/** One statement for all computers, on both engines: a list of rows as JSON is a table. */
async function updateEach(trx: StoreTransaction, updates: readonly Update[]): Promise<void> {
  if (updates.length === 0) return;
  const list = JSON.stringify(updates);
  const rows =
    engineOf(trx) === 'postgres'
      ? sql`jsonb_to_recordset(${list}::jsonb) as evaluated (id text, alarm_check_at bigint, alarm_silent_at bigint,
          alarm_warnings text, read_check_at bigint, read_warnings text)`
      : sql`(select value ->> 'id' as id, value ->> 'alarm_check_at' as alarm_check_at,
          value ->> 'alarm_silent_at' as alarm_silent_at, value ->> 'alarm_warnings' as alarm_warnings,
          value ->> 'read_check_at' as read_check_at, value ->> 'read_warnings' as read_warnings
          from json_each(${list})) as evaluated`;
  await sql`update computers set alarm_check_at = evaluated.alarm_check_at, alarm_silent_at = evaluated.alarm_silent_at,
      alarm_warnings = evaluated.alarm_warnings
    from ${rows}
    where computers.id = evaluated.id
      and (evaluated.read_check_at is null or
        (computers.alarm_check_at = evaluated.read_check_at and computers.warnings = evaluated.read_warnings))`.execute(
    trx,
  );
}
