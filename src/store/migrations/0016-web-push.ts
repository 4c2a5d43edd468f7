import { type Kysely, sql } from 'kysely';

export const oldestCode = '0001-baseline';

/** Older code knows neither table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table push_subscriptions (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    session_id text not null,
    endpoint text not null unique,
    p256dh text not null,
    auth text not null,
    browser text not null,
    created_at bigint not null,
    seen_at bigint not null
  )`,
  'create index push_subscriptions_account on push_subscriptions (account_id, seen_at)',
  'create index push_subscriptions_seen on push_subscriptions (seen_at)',
];
