import { type Kysely, sql } from 'kysely';

/** Older code ignores these tables, and the foreign keys delete what they say about people. */
export const oldestCode = '0001-baseline';

/** What operators write down and let the service do, and what the console shows of the service itself. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create table operator_notes (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    at bigint not null,
    actor_kind text not null,
    actor text not null,
    text text not null
  )`.execute(db);
  await sql`create index operator_notes_account on operator_notes (account_id, id)`.execute(db);
  await sql`create table operator_jobs (
    id text not null primary key,
    created_at bigint not null,
    actor_kind text not null,
    actor text not null,
    origin text not null,
    reason text,
    act text not null,
    -- Ids of the people, a JSON array, and how many of them are done.
    people text not null,
    done integer not null,
    -- Those that failed, a JSON array of id and code.
    failures text not null,
    finished_at bigint
  )`.execute(db);
  await sql`create index operator_jobs_open on operator_jobs (id) where finished_at is null`.execute(db);
  await sql`create index operator_jobs_created on operator_jobs (created_at)`.execute(db);
  await sql`create table nodes (
    id text not null primary key,
    name text not null,
    version text not null,
    started_at bigint not null,
    seen_at bigint not null
  )`.execute(db);
  await sql`create index nodes_seen on nodes (seen_at)`.execute(db);
  await sql`create table settings_seen (
    id text not null primary key,
    -- The settings of the last start, sealed.
    settings text not null,
    at bigint not null
  )`.execute(db);
}
