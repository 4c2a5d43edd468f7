import type { Kysely } from 'kysely';

/** The newest migration that a version has to know so that it may go on working after this one. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
export async function up(db: Kysely<any>): Promise<void> {
  // An older node counts one unit for each.
  await db.schema
    .alterTable('limit_hits')
    .addColumn('units', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  // ISO 3166; null of a link by mail, and of what an older node begins.
  await db.schema.alterTable('phone_calls').addColumn('country', 'text').execute();
  await db.schema
    .createIndex('phone_calls_country')
    .on('phone_calls')
    .columns(['country', 'way', 'created_at'])
    .execute();
}
