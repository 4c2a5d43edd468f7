import { type Kysely, sql } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

/** Reads a table that holds some weeks of changes of addresses: a few thousand rows at three million accounts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create index email_changes_old on email_changes (lower(old_email))`.execute(db);
}
