import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // A kind that is rare, or that nobody has, is not looked for among all of an account's records.
  await db.schema.createIndex('records_kind').on('records').columns(['account_id', 'kind', 'seq']).execute();
}
