import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code adds members without it, and leaves it alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table incident_members add column end_value integer`.execute(db);
}
