import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('late_answers', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();

  // For the clean-up, and for retries of emails.
  await sql`create index outbox_gave_up on outbox (gave_up_at) where gave_up_at is not null`.execute(db);
  await db.schema.createIndex('reset_links_outbox').on('reset_links').column('outbox_id').execute();

  // A node writes here to test whether it can.
  await db.schema
    .createTable('write_probes')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
}
