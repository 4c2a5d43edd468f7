import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  const ofAccount = sql`text not null references accounts (id) on delete cascade`;
  const ofComputer = sql`text not null references computers (id) on delete cascade`;

  await db.schema
    .createTable('computers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('version', 'text')
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addColumn('signs', 'text', (column) => column.notNull())
    .addColumn('records_since_trim', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // No index covers the columns that a heartbeat changes, so that PostgreSQL can update in place (HOT).
  await db.schema.createIndex('computers_account').on('computers').column('account_id').execute();

  await db.schema
    .createTable('enrolments')
    .addColumn('code_hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
  await db.schema.createIndex('enrolments_account').on('enrolments').column('account_id').execute();
  await db.schema.createIndex('enrolments_created').on('enrolments').column('created_at').execute();

  await db.schema
    .createTable('records')
    .addColumn('seq', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('computer_id', ofComputer)
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addUniqueConstraint('records_once', ['computer_id', 'id'])
    .execute();
  await db.schema.createIndex('records_account').on('records').columns(['account_id', 'seq']).execute();
  await db.schema.createIndex('records_computer').on('records').columns(['computer_id', 'seq']).execute();

  await db.schema
    .createTable('notifications')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', ofAccount)
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('read_at', 'bigint')
    .execute();
  await db.schema.createIndex('notifications_account').on('notifications').columns(['account_id', 'id']).execute();
}
