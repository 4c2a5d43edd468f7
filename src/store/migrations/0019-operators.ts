import { type Kysely, sql } from 'kysely';

/** Older code has no operators, and ignores these tables. */
export const oldestCode = '0001-baseline';

/** People and programs that may use the management API. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create table operators (
    account_id text not null primary key references accounts (id) on delete cascade,
    role text not null,
    added_at bigint not null
  )`.execute(db);
  await sql`create table operator_sessions (
    session_id text not null primary key references sessions (id) on delete cascade,
    seen_at bigint not null
  )`.execute(db);
  await sql`create table operator_invitations (
    hash text not null primary key,
    email_key text not null,
    role text not null,
    created_at bigint not null
  )`.execute(db);
  await sql`create index operator_invitations_created on operator_invitations (created_at)`.execute(db);
  await sql`create index operator_invitations_email on operator_invitations (email_key)`.execute(db);
  await sql`create table operator_keys (
    id text not null primary key,
    hash text not null unique,
    name text not null,
    role text not null,
    -- Ranges of addresses (CIDR), separated by commas; empty for any address.
    addresses text not null,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    last_used_at bigint
  )`.execute(db);
  await sql`create table operator_requests (
    -- Of the caller and the idempotency key.
    hash text not null primary key,
    -- Of the method, the address and the body.
    request text not null,
    attempt text not null,
    -- Sealed; null until the response was sent.
    response text,
    created_at bigint not null
  )`.execute(db);
  await sql`create index operator_requests_created on operator_requests (created_at)`.execute(db);
}
