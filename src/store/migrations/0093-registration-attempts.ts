import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // Hash of the registration with its idempotency key; null for accounts without one, and for those of older nodes.
  await db.schema.alterTable('accounts').addColumn('registration_attempt', 'text').execute();
}
