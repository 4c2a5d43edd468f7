import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
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

  // They help an owner to recognize a device; older nodes write null.
  await db.schema.alterTable('devices').addColumn('ip', 'text').execute();
  await db.schema.alterTable('devices').addColumn('user_agent', 'text').execute();
}
