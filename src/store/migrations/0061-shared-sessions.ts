import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // 1: on a computer that others use as well; an older node begins none.
  await db.schema
    .alterTable('sessions')
    .addColumn('shared', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
