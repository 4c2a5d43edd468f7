import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code sets none of these: its notifications lead nowhere and have no end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['computer_id text', 'began_at bigint', 'ended_at bigint'])
    await sql`alter table notifications add column ${sql.raw(column)}`.execute(db);
}
