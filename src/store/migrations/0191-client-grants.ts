import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** New tables only, so no rows are read or rewritten. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('client_grants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.id').onDelete('cascade'))
    .addColumn('session_id', 'text')
    .addColumn('sid', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('offline', 'integer', (column) => column.notNull())
    .addColumn('late_answers', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await sql`create unique index client_grants_session on client_grants (session_id, client_id) where session_id is not null`.execute(
    db,
  );
  await db.schema
    .createIndex('client_grants_account')
    .on('client_grants')
    .columns(['account_id', 'client_id'])
    .execute();
  await db.schema.createIndex('client_grants_client').on('client_grants').column('client_id').execute();
  await db.schema.createIndex('client_grants_expiry').on('client_grants').column('expires_at').execute();

  await db.schema
    .createTable('connected_clients')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.id').onDelete('cascade'))
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('connected_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('connected_clients_key', ['account_id', 'client_id'])
    .execute();
  await db.schema.createIndex('connected_clients_client').on('connected_clients').column('client_id').execute();

  await db.schema
    .createTable('openid_records')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('user_code', 'text')
    .addColumn('consumed_at', 'bigint')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('openid_records_grant').on('openid_records').column('grant_id').execute();
  await sql`create unique index openid_records_user_code on openid_records (user_code) where user_code is not null`.execute(
    db,
  );
  await db.schema.createIndex('openid_records_expiry').on('openid_records').column('expires_at').execute();

  await db.schema
    .createTable('logout_notices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.id').onDelete('cascade'))
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('sid', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('logout_notices_due').on('logout_notices').column('due_at').execute();
  await db.schema.createIndex('logout_notices_age').on('logout_notices').column('created_at').execute();
  await db.schema.createIndex('logout_notices_client').on('logout_notices').column('client_id').execute();
}
