import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  // When the provider reported that the call or message did not arrive.
  await db.schema.alterTable('phone_calls').addColumn('lost_at', 'bigint').execute();
  // Ids of the rows in limit_hits that count its cost, while the provider may still refund it.
  await db.schema.alterTable('phone_calls').addColumn('charge', 'text').execute();
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export const upOnline = (db: Kysely<any>): Promise<void> =>
  createIndexOnline(db, { name: 'phone_calls_charged', on: 'phone_calls (expires_at) where charge is not null' });
