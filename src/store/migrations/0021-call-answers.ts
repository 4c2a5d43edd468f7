import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code leaves it empty. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table alarm_messages add column answer text`.execute(db);
}
