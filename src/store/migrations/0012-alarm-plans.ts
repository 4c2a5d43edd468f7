import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code does not read it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table alarm_plans (
    account_id text not null primary key references accounts (id) on delete cascade,
    rules text,
    pauses text not null default '[]'
  )`.execute(db);
}
