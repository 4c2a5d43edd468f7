import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('phone', 'text', (column) => column.notNull())
    .addColumn('phone_confirmed_at', 'bigint')
    .addColumn('organization', 'text')
    .addColumn('inn', 'text')
    .addColumn('promo_code', 'text')
    .addColumn('locale', 'text', (column) => column.notNull())
    .addColumn('db_type', 'text')
    .addColumn('last_place', 'text')
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('password_changed_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  const ofAccount = sql`text not null references accounts (id) on delete cascade`;

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('rotated_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('end_reason', 'text')
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .execute();
  // No index covers the columns that a rotation changes, so that PostgreSQL can update in place (HOT).
  await db.schema.createIndex('sessions_account').on('sessions').column('account_id').execute();
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute();

  await db.schema
    .createTable('devices')
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('account_id', ofAccount)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('devices_key', ['token_hash', 'account_id'])
    .execute();
  await db.schema.createIndex('devices_seen').on('devices').column('last_seen_at').execute();
  await db.schema.createIndex('devices_account').on('devices').column('account_id').execute();

  await db.schema
    .createTable('lockouts')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('pending', 'integer', (column) => column.notNull())
    .addColumn('pending_since', 'bigint', (column) => column.notNull())
    .addColumn('locked_until', 'bigint', (column) => column.notNull())
    .addColumn('last_failure_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema.createIndex('lockouts_pending').on('lockouts').column('pending_since').execute();

  await db.schema
    .createTable('limit_hits')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('limit_hits_key').on('limit_hits').columns(['key', 'at']).execute();
  await db.schema.createIndex('limit_hits_at').on('limit_hits').column('at').execute();

  await db.schema
    .createTable('outbox')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text')
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('notice', 'text', (column) => column.notNull())
    .addColumn('locale', 'text', (column) => column.notNull())
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('params', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('leased_until', 'bigint', (column) => column.notNull())
    .addColumn('sent_at', 'bigint')
    .addColumn('gave_up_at', 'bigint')
    .addColumn('last_error', 'text')
    .execute();
  // Only unsent emails: the worker's query stays fast, however many were sent before.
  await sql`create index outbox_due on outbox (due_at) where sent_at is null and gave_up_at is null`.execute(db);
  // For the order of an account's emails: is there an older one?
  await sql`create index outbox_order on outbox (account_id, id) where sent_at is null and gave_up_at is null`.execute(
    db,
  );
  await db.schema.createIndex('outbox_sent').on('outbox').column('sent_at').execute();
  await db.schema.createIndex('outbox_account').on('outbox').column('account_id').execute();

  await db.schema
    .createTable('reset_links')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('outbox_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
  await db.schema.createIndex('reset_links_created').on('reset_links').column('created_at').execute();
  await db.schema.createIndex('reset_links_account').on('reset_links').column('account_id').execute();

  await db.schema
    .createTable('promo_codes')
    .addColumn('code', 'text', (column) => column.primaryKey())
    .addColumn('uses_left', 'integer')
    .addColumn('used', 'integer', (column) => column.notNull())
    .addColumn('valid_until', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('consents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('given', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('locale', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('consents_account').on('consents').column('account_id').execute();

  await db.schema
    .createTable('activity')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('activity_account').on('activity').columns(['account_id', 'id']).execute();

  await db.schema
    .createTable('keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('retired_at', 'bigint')
    .execute();
}
