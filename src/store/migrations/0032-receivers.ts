import { type Kysely, sql } from 'kysely';

/** Older code ignores the table. */
export const oldestCode = '0001-baseline';

/** Receivers of webhooks that operators add. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table stored_receivers (
    id text not null primary key,
    -- The URL and its secrets, sealed.
    target text not null,
    -- Types of events, separated by spaces.
    events text not null,
    created_at bigint not null
  )`.execute(db);
}
