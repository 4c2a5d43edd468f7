import type { Kysely } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-front-door';

/** Reads every record twice, in the largest table: six seconds for three million. */
// biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
export async function upOnline(db: Kysely<any>): Promise<void> {
  // Finds a rare kind without a scan of all records of an account.
  await createIndexOnline(db, { name: 'records_kind', on: 'records (account_id, kind, seq)' });
}
