import { type Kysely, sql } from 'kysely';

/** Older code lets the rest of such a job fail, one person after the other. */
export const oldestCode = '0001-baseline';

/** Why a job ended before it was done; null if it did not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table operator_jobs add column stopped text`.execute(db);
}
