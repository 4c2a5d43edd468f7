import { type Kysely, sql } from 'kysely';
import { updateInBatches } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('email_proven_at', 'bigint').execute();
  await db.schema.alterTable('reset_links').addColumn('db_type', 'text').execute();
  await db.schema.alterTable('phone_calls').addColumn('source', 'text').execute();
}

/** Writes every account once: some two minutes at three million, during which requests continue. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function upOnline(db: Kysely<any>): Promise<void> {
  // Unknown for older accounts. Most of their owners registered themselves, and must not lose their entries.
  await updateInBatches(db, {
    table: 'accounts',
    set: sql`email_proven_at = created_at`,
    where: sql`email_proven_at is null`,
  });
}
