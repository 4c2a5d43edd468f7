import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('late_answers', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();

  // A node writes here to test whether it can.
  await db.schema
    .createTable('write_probes')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
}

/** Reads the outbox and the reset links of some weeks: a few seconds at three million accounts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function upOnline(db: Kysely<any>): Promise<void> {
  // For the clean-up, and for retries of emails.
  await createIndexOnline(db, { name: 'outbox_gave_up', on: 'outbox (gave_up_at) where gave_up_at is not null' });
  await createIndexOnline(db, { name: 'reset_links_outbox', on: 'reset_links (outbox_id)' });
}
