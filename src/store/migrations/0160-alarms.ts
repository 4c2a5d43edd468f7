import { type Kysely, sql } from 'kysely';
import { hours } from '../../contract/durations.ts';
import { createIndexOnline, updateInBatches } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** Devices that were silent for this long before the migration are not reported: alarms are about new events. */
const knownAsSilent = hours(1);

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('alarm_rules')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.id').onDelete('cascade').notNull(),
    )
    .addColumn('silent_after', 'bigint', (column) => column.notNull())
    .addColumn('disk_low', 'integer', (column) => column.notNull())
    .addColumn('battery_low', 'integer', (column) => column.notNull())
    .addColumn('by_email', 'integer', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('alarm_overrides')
    .addColumn('computer_id', 'text', (column) =>
      column.primaryKey().references('computers.id').onDelete('cascade').notNull(),
    )
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('silent_after', 'bigint')
    .addColumn('disk_low', 'integer')
    .addColumn('battery_low', 'integer')
    .addColumn('muted_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('alarm_overrides_account').on('alarm_overrides').column('account_id').execute();

  await db.schema
    .createTable('alarm_watch')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('begun_at', 'bigint', (column) => column.notNull())
    .addColumn('evaluated_at', 'bigint', (column) => column.notNull())
    .addColumn('counted_from', 'bigint', (column) => column.notNull())
    .addColumn('heard_at', 'bigint', (column) => column.notNull())
    .addColumn('judged_at', 'bigint', (column) => column.notNull())
    .addColumn('unreachable', 'integer', (column) => column.notNull())
    .execute();

  // The defaults make computers that an older node adds due immediately.
  await db.schema
    .alterTable('computers')
    .addColumn('alarm_check_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('computers').addColumn('alarm_silent_at', 'bigint').execute();
  await db.schema
    .alterTable('computers')
    .addColumn('alarm_warnings', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}

/**
 * Some seconds at 3,000,000 computers. A heartbeat does not change the indexed column, so PostgreSQL still updates in
 * place (HOT).
 */
// biome-ignore lint/suspicious/noExplicitAny: as above
export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, { name: 'computers_alarm_check', on: 'computers (alarm_check_at)' });
  const { rows } = await sql<{ last: number | null }>`select max(last_seen_at) as last from computers`.execute(db);
  const last = Number(rows[0]?.last ?? 0);
  await updateInBatches(db, {
    table: 'computers',
    set: sql`alarm_silent_at = case when last_seen_at < ${last - knownAsSilent} then last_seen_at end, alarm_warnings = warnings`,
    where: sql`(last_seen_at < ${last - knownAsSilent} or warnings != '')`,
  });
}
