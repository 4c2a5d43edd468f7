import { setTimeout as pause } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { days, hours } from '../contract/units.ts';
import { deviceLifetime } from './access/devices.ts';
import { dayOf, registrationDaysKept } from './accounts/registration-days.ts';
import { type Database, type Engine, eachApart, engineOf, firstIdOf, type Store } from './database.ts';
import { referenceKept } from './operators/error-references.ts';
import { jobKept } from './operators/jobs.ts';
import { nodeListed } from './operators/nodes.ts';
import { operatorRequestKept } from './operators/operator-requests.ts';
import { hourOf, networksKept, statisticsKept, statisticsNodeKept } from './operators/statistics.ts';
import { maintainPartitions, type Partitionable, partitionable } from './partitions.ts';
import { countedForAWeek } from './rate-limits.ts';
import { repeatableFor } from './single-use.ts';

interface CleanUp {
  readonly now: number;
  /** How long the activity log is kept, in milliseconds. */
  readonly activityKept: number;
  /** Outdated rows of other wings. */
  readonly others: readonly Outdated[];
}

export interface Outdated {
  readonly table: keyof Database;
  /** An indexed column. Rows are deleted in its order, so that a portion costs the same in a table of any size. */
  readonly by: string;
  readonly when: RawBuilder<unknown>;
  /** Present if the table may have partitions. */
  readonly partitions?: { readonly of: Partitionable; readonly firstKept: string };
}

/** The rows before a time (ms since the epoch), in a table that may have partitions. */
export function rowsBefore(time: number, of: Partitionable): Outdated {
  const firstKept = firstIdOf(time);
  return { table: of.table, by: of.key, when: sql`${sql.ref(of.key)} < ${firstKept}`, partitions: { of, firstKept } };
}

/** Outdated rows by table, with how long each is kept after its end. */
export const outdated = ({ now, activityKept, others }: CleanUp): readonly Outdated[] => [
  { table: 'sessions', by: 'expires_at', when: sql`expires_at < ${now - days(30)}` },
  { table: 'limit_hits', by: 'at', when: sql`at < ${now - hours(25)} and key not like ${`${countedForAWeek}%`}` },
  { table: 'limit_hits', by: 'at', when: sql`at < ${now - days(8)}` },
  { table: 'lockouts', by: 'pending_since', when: sql`pending_since < ${now - days(1)} and locked_until < ${now}` },
  { table: 'devices', by: 'last_seen_at', when: sql`last_seen_at < ${now - deviceLifetime}` },
  { table: 'reset_links', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  // Kept long: an owner may notice late that someone changed the address.
  { table: 'email_changes', by: 'created_at', when: sql`created_at < ${now - days(90)}` },
  { table: 'mail_codes', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  { table: 'passkey_challenges', by: 'created_at', when: sql`created_at < ${now - hours(1)}` },
  { table: 'pending_authenticators', by: 'created_at', when: sql`created_at < ${now - hours(1)}` },
  { table: 'single_use_results', by: 'created_at', when: sql`created_at < ${now - repeatableFor}` },
  { table: 'pending_sign_ins', by: 'created_at', when: sql`created_at < ${now - days(1)}` },
  { table: 'phone_calls', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  // A link's hour begins when its email is sent, so emails outlive their links.
  { table: 'outbox', by: 'sent_at', when: sql`sent_at < ${now - days(30)}` },
  { table: 'outbox', by: 'gave_up_at', when: sql`gave_up_at < ${now - days(30)}` },
  { table: 'registration_days', by: 'day', when: sql`day < ${dayOf(now) - registrationDaysKept}` },
  // Dead addresses come back to life, and people change their minds.
  { table: 'unreachable_addresses', by: 'at', when: sql`at < ${now - days(180)}` },
  { table: 'returned_emails', by: 'at', when: sql`at < ${now - days(30)}` },
  { table: 'forward_auth_codes', by: 'created_at', when: sql`created_at < ${now - hours(1)}` },
  { table: 'webhook_deliveries', by: 'sent_at', when: sql`sent_at < ${now - days(7)}` },
  // Also those that wait for a receiver that is no longer configured.
  { table: 'webhook_deliveries', by: 'created_at', when: sql`created_at < ${now - days(30)}` },
  { table: 'openid_records', by: 'expires_at', when: sql`expires_at < ${now}` },
  { table: 'client_grants', by: 'expires_at', when: sql`expires_at < ${now}` },
  { table: 'client_refusals', by: 'at', when: sql`at < ${now - days(30)}` },
  { table: 'operator_invitations', by: 'created_at', when: sql`created_at < ${now - days(1)}` },
  { table: 'operator_requests', by: 'created_at', when: sql`created_at < ${now - operatorRequestKept}` },
  { table: 'operator_jobs', by: 'created_at', when: sql`created_at < ${now - jobKept}` },
  { table: 'error_references', by: 'at', when: sql`at < ${now - referenceKept}` },
  { table: 'statistics', by: 'hour', when: sql`hour < ${hourOf(now - statisticsKept)}` },
  // Each batch has its loudest networks; of all of them, an hour keeps as many.
  {
    table: 'statistics',
    by: 'hour',
    when: sql`series = 'refused_from' and hour < ${hourOf(now) - 1} and (
      select count(*) from statistics as louder
      where louder.series = statistics.series and louder.hour = statistics.hour
        and (louder.count > statistics.count or (louder.count = statistics.count and louder.label < statistics.label))
    ) >= ${networksKept}`,
  },
  { table: 'statistics_nodes', by: 'at', when: sql`at < ${now - statisticsNodeKept}` },
  { table: 'nodes', by: 'seen_at', when: sql`seen_at < ${now - nodeListed}` },
  { table: 'logout_notices', by: 'created_at', when: sql`created_at < ${now - days(4)}` },
  rowsBefore(now - activityKept, partitionable.activity),
  ...others,
];

interface Portions {
  readonly first: number;
  readonly least: number;
  readonly max: number;
  /** How long the database should take for one, in milliseconds. */
  readonly takes: number;
}

/**
 * A deletion blocks all other work on SQLite, but not on PostgreSQL, where slow statements must not shrink portions.
 */
const portionsOf: Readonly<Record<Engine, Portions>> = {
  sqlite: { first: 50, least: 10, max: 1000, takes: 5 },
  postgres: { first: 500, least: 500, max: 5000, takes: 100 },
};
/** Milliseconds for other statements in between. */
const pauseBetween = 20;

/**
 * Drops outdated partitions, and deletes other outdated rows in portions so small that no request notices. Returns the
 * number of deleted rows.
 */
export async function cleanUp(store: Store, cleaning: CleanUp): Promise<number> {
  const { first, least, max, takes } = portionsOf[engineOf(store)];
  const travels = await roundTrip(store);
  let total = 0;
  let portion = first;
  await eachApart(outdated(cleaning), async (rows) => {
    for (const table of await tablesOf(store, rows, cleaning.now)) {
      for (;;) {
        const began = performance.now();
        const deleted = await deletePortion(store, { ...rows, table }, portion);
        total += deleted;
        if (deleted < portion) break;
        const rate = takes / Math.max(0.1, performance.now() - began - travels);
        portion = Math.round(Math.min(max, Math.max(least, portion * Math.min(2, rate))));
        await pause(pauseBetween);
      }
    }
  });
  return total;
}

/** The tables to delete rows from, once outdated partitions are dropped. */
const tablesOf = async (store: Store, { table, partitions }: Outdated, now: number): Promise<readonly string[]> =>
  partitions && engineOf(store) === 'postgres'
    ? maintainPartitions(store, partitions.of, { firstKept: partitions.firstKept, now })
    : [table];

/** Milliseconds that an empty statement takes. */
async function roundTrip(store: Store): Promise<number> {
  if (engineOf(store) === 'sqlite') return 0;
  await sql`select 1`.execute(store);
  const began = performance.now();
  await sql`select 1`.execute(store);
  return performance.now() - began;
}

interface Portion extends Pick<Outdated, 'by' | 'when'> {
  readonly table: string;
}

async function deletePortion(store: Store, { table, by, when }: Portion, max: number): Promise<number> {
  const isPostgres = engineOf(store) === 'postgres';
  const row = sql.raw(isPostgres ? 'ctid' : 'rowid');
  // A ctid identifies a row in one partition only: `only` finds no rows if the table got partitions meanwhile.
  const from = isPostgres ? sql`only ${sql.table(table)}` : sql.table(table);
  const portion = sql`select ${row} from ${from} where ${when} order by ${sql.ref(by)} limit ${max}`;
  // PostgreSQL fetches rows directly if their ctids are in an array.
  const isIn = isPostgres ? sql`= any (array(${portion}))` : sql`in (${portion})`;
  const { numAffectedRows = 0n } = await sql`delete from ${from} where ${row} ${isIn}`.execute(store);
  return Number(numAffectedRows);
}
