import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // Urgent emails go first. Older nodes write 0, which does no harm.
  await db.schema
    .alterTable('outbox')
    .addColumn('urgent', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();

  // The email with a confirmation link: the link's hour begins when it is sent.
  await db.schema.alterTable('phone_calls').addColumn('outbox_id', 'text').execute();
}

/** Reads the outbox, with the emails of some weeks: a few seconds at three million accounts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, {
    name: 'outbox_turn',
    on: 'outbox (urgent, created_at, id) where sent_at is null and gave_up_at is null',
  });
}
