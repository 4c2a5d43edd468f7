import { type Kysely, sql } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('late_answers', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();

  // What the clean-up asks for, and what sending messages again does.
  await sql`create index outbox_gave_up on outbox (gave_up_at) where gave_up_at is not null`.execute(db);
  await db.schema.createIndex('reset_links_outbox').on('reset_links').column('outbox_id').execute();

  // Where a node tries whether it can write.
  await db.schema
    .createTable('write_probes')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
}
