import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** Nullable columns without a default: neither engine reads or rewrites rows. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function up(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('device_hash', 'text').execute();
  await db.schema.alterTable('client_grants').addColumn('approved_in', 'text').execute();
}

/** Empty at first: only new grants of devices have an entry. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, {
    name: 'client_grants_approved',
    on: 'client_grants (approved_in) where approved_in is not null',
  });
}
