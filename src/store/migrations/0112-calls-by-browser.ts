import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // SHA-256 of the requesting browser's cookie; null for calls of older nodes.
  await db.schema.alterTable('phone_calls').addColumn('browser', 'text').execute();
  // How many digits confirm it; null for calls of older nodes, which have four.
  await db.schema.alterTable('phone_calls').addColumn('digits', 'integer').execute();
}
