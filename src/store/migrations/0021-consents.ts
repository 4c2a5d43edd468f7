import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // Address of the document that was agreed to; an older node knows of none, and writes none.
  await db.schema.alterTable('consents').addColumn('document', 'text').execute();
}
