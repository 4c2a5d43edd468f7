import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('accounts')
    .addColumn('mail_new_device', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('accounts').addColumn('delete_at', 'bigint').execute();

  // They help an owner to recognize a device; older nodes write null.
  await db.schema.alterTable('devices').addColumn('ip', 'text').execute();
  await db.schema.alterTable('devices').addColumn('user_agent', 'text').execute();
}

/** Reads every account twice: some seconds at three million. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, { name: 'accounts_delete_at', on: 'accounts (delete_at) where delete_at is not null' });
}
