import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // Without an index, so that PostgreSQL can still update a heartbeat in place (HOT).
  await db.schema
    .alterTable('computers')
    .addColumn('history', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
