import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code knows neither the table nor the column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table alarm_channels add column set_at bigint not null default 0`.execute(db);
  await sql`create table telegram_links (
    token_hash text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null
  )`.execute(db);
  await sql`create index telegram_links_account on telegram_links (account_id)`.execute(db);
  await sql`create index telegram_links_created on telegram_links (created_at)`.execute(db);
}
