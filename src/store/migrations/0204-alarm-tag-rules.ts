import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('alarm_tag_rules')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('tag_json', 'text', (column) => column.notNull())
    .addColumn('silent_after', 'bigint', (column) => column.notNull())
    .addColumn('disk_low', 'integer', (column) => column.notNull())
    .addColumn('battery_low', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('alarm_tag_rules_pkey', ['account_id', 'tag_json'])
    .execute();
}
