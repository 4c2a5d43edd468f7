import { type Kysely, sql } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // Letters that somebody sits and waits for go first. An older node writes none of them as such, and loses nothing by it.
  await db.schema
    .alterTable('outbox')
    .addColumn('urgent', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`create index outbox_turn on outbox (urgent, created_at, id)
    where sent_at is null and gave_up_at is null`.execute(db);

  // The mail that carries a confirmation's link: its hour begins when that was sent.
  await db.schema.alterTable('phone_calls').addColumn('outbox_id', 'text').execute();
}
