import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code adds computers only; it would report the silence of a smartphone that is asleep. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table computers add column kind text not null default 'computer'`.execute(db);
}
