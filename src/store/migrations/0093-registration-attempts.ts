import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // A hash of what a page sends again when no answer came; null of accounts that no page made, and of what an older node makes.
  await db.schema.alterTable('accounts').addColumn('registration_attempt', 'text').execute();
}
