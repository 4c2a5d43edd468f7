import { type Kysely, sql } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // When the old address was proven; null if it never was.
  await db.schema.alterTable('email_changes').addColumn('old_email_proven_at', 'bigint').execute();
  // Until now an undo proved the old address, and stays so for changes that can still be undone. At most a week's rows.
  await db
    .updateTable('email_changes')
    .set({ old_email_proven_at: sql`changed_at` })
    .where('changed_at', 'is not', null)
    .execute();
}
