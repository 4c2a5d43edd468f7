import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

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
}

/** Reads the calls of some weeks: under a second at three million accounts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, { name: 'phone_calls_country', on: 'phone_calls (country, way, created_at)' });
}
