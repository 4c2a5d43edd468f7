import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // When its owner last gave the password again; an older node knows of none, and asks for it nowhere.
  await db.schema.alterTable('sessions').addColumn('proven_at', 'bigint').execute();
}
