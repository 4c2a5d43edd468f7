import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** New tables only, so no rows are read or rewritten. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('aaguid', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('algorithm', 'integer', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('backup_eligible', 'integer', (column) => column.notNull())
    .addColumn('backed_up', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('passkeys_account').on('passkeys').columns(['account_id', 'created_at']).execute();

  await db.schema
    .createTable('passkey_users')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id').onDelete('cascade'))
    .addColumn('handle', 'text', (column) => column.notNull().unique())
    .execute();

  await db.schema
    .createTable('passkey_challenges')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('browser_hash', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('cascade'))
    .addColumn('session_id', 'text')
    .addColumn('automatic', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('passkey_challenges_account').on('passkey_challenges').column('account_id').execute();
  await db.schema.createIndex('passkey_challenges_created').on('passkey_challenges').column('created_at').execute();
}
