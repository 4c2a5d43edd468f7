import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // SHA-256 of the cookie of the browser that asked; null of what an older node begins.
  await db.schema.alterTable('phone_calls').addColumn('browser', 'text').execute();
  // How many digits confirm it; null of what an older node begins, which are four.
  await db.schema.alterTable('phone_calls').addColumn('digits', 'integer').execute();
}
