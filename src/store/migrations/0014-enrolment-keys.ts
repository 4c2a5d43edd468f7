import { type Kysely, sql } from 'kysely';

/** Older code neither reads nor writes the table. */
export const oldestCode = '0001-baseline';

/** Keys with which several computers add themselves to an account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table enrolment_keys (
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      name text not null,
      key_hash text not null unique,
      tags text not null,
      networks text not null,
      max_uses integer not null,
      uses integer not null,
      created_at bigint not null,
      expires_at bigint not null,
      last_used_at bigint,
      revoked_at bigint
    )`.execute(db);
  await sql`create index enrolment_keys_account on enrolment_keys (account_id)`.execute(db);
  await sql`create index enrolment_keys_expires on enrolment_keys (expires_at)`.execute(db);
}
