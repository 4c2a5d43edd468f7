import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // Urgent emails go first. Older nodes write 0, which does no harm.
  await db.schema
    .alterTable('outbox')
    .addColumn('urgent', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`create index outbox_turn on outbox (urgent, created_at, id)
    where sent_at is null and gave_up_at is null`.execute(db);

  // The email with a confirmation link: the link's hour begins when it is sent.
  await db.schema.alterTable('phone_calls').addColumn('outbox_id', 'text').execute();
}
