import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('phone_calls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('phone', 'text', (column) => column.notNull())
    .addColumn('way', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('proof', 'text')
    .addColumn('provider', 'text')
    .addColumn('reference', 'text')
    .addColumn('attempts_left', 'integer', (column) => column.notNull())
    .addColumn('locale', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addColumn('used_at', 'bigint')
    .execute();
  await db.schema.createIndex('phone_calls_phone').on('phone_calls').column('phone').execute();
  await db.schema.createIndex('phone_calls_created').on('phone_calls').column('created_at').execute();
}
