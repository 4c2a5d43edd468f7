import { type Kysely, sql } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Older code writes no references, and the foreign key deletes those of a deleted account. */
export const oldestCode = '0001-baseline';

/** Who saw which error page, and an index for last places. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create table error_references (
    reference text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    at bigint not null
  )`.execute(db);
  await sql`create index error_references_account on error_references (account_id)`.execute(db);
  await sql`create index error_references_at on error_references (at)`.execute(db);
}

/** Of the first characters: an address may be longer than an index of PostgreSQL takes. */
export const upOnline = (db: Kysely<any>): Promise<void> =>
  createIndexOnline(db, {
    name: 'accounts_last_place',
    on: 'accounts (substr(last_place, 1, 200), id) where last_place is not null',
  });
