import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // A hash of what a page sends again when no answer came; null of pages that send nothing, and of what an older node begins.
  await db.schema.alterTable('phone_calls').addColumn('attempt', 'text').execute();
  // E.164: whom the person is to call, so that it can be told again.
  await db.schema.alterTable('phone_calls').addColumn('number', 'text').execute();
}
