import { type Kysely, sql } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // When the old address had been proven; null if it never was.
  await db.schema.alterTable('email_changes').addColumn('old_email_proven_at', 'bigint').execute();
  // Until now an undo proved the old address: changes that can still be undone keep that. A week's rows at most.
  await db
    .updateTable('email_changes')
    .set({ old_email_proven_at: sql`changed_at` })
    .where('changed_at', 'is not', null)
    .execute();
}
