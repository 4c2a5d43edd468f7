import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code sets none of these: `left_at` only counts while it equals `last_seen_at`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['left_at bigint', 'left_for text', 'returns_by bigint', "instances text not null default ''"])
    await sql`alter table computers add column ${sql.raw(column)}`.execute(db);
}
