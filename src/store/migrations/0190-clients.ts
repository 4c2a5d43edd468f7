import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** New tables only, so no rows are read or rewritten. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('clients')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('redirect_uris', 'text', (column) => column.notNull())
    .addColumn('post_logout_uris', 'text', (column) => column.notNull())
    .addColumn('backchannel_logout_uri', 'text')
    .addColumn('groups', 'text', (column) => column.notNull())
    .addColumn('resources', 'text', (column) => column.notNull())
    .addColumn('signing', 'text', (column) => column.notNull())
    .addColumn('public', 'integer', (column) => column.notNull())
    .addColumn('first_party', 'integer', (column) => column.notNull())
    .addColumn('service', 'integer', (column) => column.notNull())
    .addColumn('device', 'integer', (column) => column.notNull())
    .addColumn('claims_in_id_token', 'integer', (column) => column.notNull())
    .addColumn('from_file', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('client_secrets')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('client_secrets_client').on('client_secrets').column('client_id').execute();

  await db.schema
    .createTable('account_groups')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('added_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('account_groups_key', ['account_id', 'name'])
    .execute();
  await db.schema.createIndex('account_groups_name').on('account_groups').columns(['name', 'account_id']).execute();
}
