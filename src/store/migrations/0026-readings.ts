import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code adds computers without it, and leaves it alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table computers add column readings text not null default ''`.execute(db);
}
