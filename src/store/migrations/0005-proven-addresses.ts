import { type Kysely, sql } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('email_proven_at', 'bigint').execute();
  // Nobody knows of older accounts; the owners of most of them registered themselves, and would lose what they entered.
  await sql`update accounts set email_proven_at = created_at`.execute(db);
  await db.schema.alterTable('reset_links').addColumn('db_type', 'text').execute();
  await db.schema.alterTable('phone_calls').addColumn('source', 'text').execute();
}
