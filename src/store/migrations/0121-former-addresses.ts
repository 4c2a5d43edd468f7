import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** Reads a table that holds some weeks of changes of addresses: a few thousand rows at three million accounts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create index email_changes_old on email_changes (lower(old_email))`.execute(db);
}
