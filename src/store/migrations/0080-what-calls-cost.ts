import type { Kysely } from 'kysely';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // Older nodes count one unit per row.
  await db.schema
    .alterTable('limit_hits')
    .addColumn('units', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  // ISO 3166; null for links by email, and for calls of older nodes.
  await db.schema.alterTable('phone_calls').addColumn('country', 'text').execute();
  await db.schema
    .createIndex('phone_calls_country')
    .on('phone_calls')
    .columns(['country', 'way', 'created_at'])
    .execute();
}
