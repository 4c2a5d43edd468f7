import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // No reference to the account: the report of a deletion outlives it.
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('receiver', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('leased_until', 'bigint', (column) => column.notNull())
    .addColumn('delivered_at', 'bigint')
    .addColumn('gave_up_at', 'bigint')
    .addColumn('last_error', 'text')
    .execute();
  const isPending = sql`delivered_at is null and gave_up_at is null`;
  await sql`create index webhook_deliveries_due on webhook_deliveries (receiver, due_at) where ${isPending}`.execute(
    db,
  );
  await sql`create index webhook_deliveries_order on webhook_deliveries (receiver, account_id, position)`.execute(db);
  await sql`create index webhook_deliveries_account on webhook_deliveries (account_id)`.execute(db);
  await sql`create index webhook_deliveries_created on webhook_deliveries (created_at)`.execute(db);
  await sql`create index webhook_deliveries_delivered on webhook_deliveries (delivered_at) where delivered_at is not null`.execute(
    db,
  );

  await db.schema
    .createTable('webhook_receivers')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('disabled_at', 'bigint', (column) => column.notNull())
    .execute();
}
