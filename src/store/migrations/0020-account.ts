import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('accounts')
    .addColumn('mail_new_device', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('accounts').addColumn('delete_at', 'bigint').execute();
  await db.schema
    .createIndex('accounts_delete_at')
    .on('accounts')
    .column('delete_at')
    .where('delete_at' as never, 'is not', null)
    .execute();

  // What a device's owner knows it by; an older node writes neither.
  await db.schema.alterTable('devices').addColumn('ip', 'text').execute();
  await db.schema.alterTable('devices').addColumn('user_agent', 'text').execute();
}
