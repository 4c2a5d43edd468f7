import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('email_proven_at', 'bigint').execute();
  // Unknown for older accounts. Most of their owners registered themselves, and must not lose their entries.
  await sql`update accounts set email_proven_at = created_at`.execute(db);
  await db.schema.alterTable('reset_links').addColumn('db_type', 'text').execute();
  await db.schema.alterTable('phone_calls').addColumn('source', 'text').execute();
}
