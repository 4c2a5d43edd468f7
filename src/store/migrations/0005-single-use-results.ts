import { type Kysely, sql } from 'kysely';

/** Older code neither reads the table nor writes the column. */
export const oldestCode = '0001-baseline';

/** What single-use steps returned, for browsers whose response was lost, and passkeys whose backup eligibility changed. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    create table single_use_results (
      hash text not null primary key,
      account_id text references accounts (id) on delete cascade,
      result text not null,
      created_at bigint not null
    )`.execute(db);
  await sql`create index single_use_results_account on single_use_results (account_id)`.execute(db);
  await sql`create index single_use_results_created on single_use_results (created_at)`.execute(db);
  await sql`alter table passkeys add column eligibility_changed_at bigint`.execute(db);
}
