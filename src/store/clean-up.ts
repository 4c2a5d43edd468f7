import { setTimeout as pause } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { days, hours } from '../contract/durations.ts';
import { deviceLifetime } from './access/devices.ts';
import { type Database, engineOf, type Store } from './database.ts';
import { countedForAWeek } from './limits.ts';
import { firstIdOf } from './ordered-id.ts';

interface CleanUp {
  readonly now: number;
  /** How long people can read what happened to their account, in milliseconds. */
  readonly activityKept: number;
  /** How long what computers reported is kept, in milliseconds. */
  readonly recordsKept: number;
}

interface Outdated {
  readonly table: keyof Database;
  /** Has an index, whose order they are deleted in: so a portion costs the same in any table. */
  readonly by: string;
  readonly when: RawBuilder<unknown>;
}

/** Rows that nothing asks for any more: how each table knows them, and for how long they are kept after their end. */
export const outdated = ({ now, activityKept, recordsKept }: CleanUp): readonly Outdated[] => [
  { table: 'sessions', by: 'expires_at', when: sql`expires_at < ${now - days(30)}` },
  { table: 'limit_hits', by: 'at', when: sql`at < ${now - hours(25)} and key not like ${`${countedForAWeek}%`}` },
  { table: 'limit_hits', by: 'at', when: sql`at < ${now - days(8)}` },
  { table: 'lockouts', by: 'pending_since', when: sql`pending_since < ${now - days(1)} and locked_until < ${now}` },
  { table: 'devices', by: 'last_seen_at', when: sql`last_seen_at < ${now - deviceLifetime}` },
  { table: 'reset_links', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  { table: 'email_changes', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  { table: 'mail_codes', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  { table: 'phone_calls', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  // A link's hour is counted from its mail's sending, so mails outlive their links.
  { table: 'outbox', by: 'sent_at', when: sql`sent_at < ${now - days(30)}` },
  { table: 'outbox', by: 'gave_up_at', when: sql`gave_up_at < ${now - days(30)}` },
  // Dead addresses come to life, and people change their minds.
  { table: 'unreachable_addresses', by: 'at', when: sql`at < ${now - days(180)}` },
  { table: 'returned_letters', by: 'at', when: sql`at < ${now - days(30)}` },
  { table: 'enrolments', by: 'created_at', when: sql`created_at < ${now - days(7)}` },
  { table: 'notifications', by: 'id', when: sql`id < ${firstIdOf(now - days(90))}` },
  { table: 'records', by: 'seq', when: sql`seq < ${firstIdOf(now - recordsKept)}` },
  { table: 'activity', by: 'id', when: sql`id < ${firstIdOf(now - activityKept)}` },
];

/** How long a portion should take (ms): with SQLite nobody is served meanwhile. */
const portionTakes = 5;
const firstPortion = 50;
const largestPortion = 1000;
/** Milliseconds in which others have their turn. */
const pauseBetween = 20;

/** Deletes what is outdated, in portions that nobody notices. Returns how many rows went. */
export async function cleanUp(store: Store, cleaning: CleanUp): Promise<number> {
  let total = 0;
  let portion = firstPortion;
  for (const rows of outdated(cleaning)) {
    for (;;) {
      const began = performance.now();
      const deleted = await deletePortion(store, rows, portion);
      total += deleted;
      if (deleted < portion) break;
      const rate = portionTakes / Math.max(0.1, performance.now() - began);
      portion = Math.round(Math.min(largestPortion, Math.max(10, portion * Math.min(2, rate))));
      await pause(pauseBetween);
    }
  }
  return total;
}

async function deletePortion(store: Store, { table, by, when }: Outdated, most: number): Promise<number> {
  const row = sql.raw(engineOf(store) === 'postgres' ? 'ctid' : 'rowid');
  const portion = sql`select ${row} from ${sql.table(table)} where ${when} order by ${sql.ref(by)} limit ${most}`;
  // PostgreSQL goes straight to rows that it is given in an array.
  const isIn = engineOf(store) === 'postgres' ? sql`= any (array(${portion}))` : sql`in (${portion})`;
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${row} ${isIn}`.execute(store);
  return Number(numAffectedRows);
}
