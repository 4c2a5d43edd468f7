import { type Kysely, sql } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Older code adds keys and invitations without it: these end only by themselves, or if an owner revokes them. */
export const oldestCode = '0001-baseline';

/** Which operator added a key or sent an invitation; null for the command line. */
export async function up(db: Kysely<any>): Promise<void> {
  for (const table of ['operator_keys', 'operator_invitations']) {
    await sql`alter table ${sql.table(table)}
      add column added_by text references accounts (id) on delete set null`.execute(db);
    await sql`create index ${sql.ref(`${table}_added_by`)} on ${sql.table(table)} (added_by)`.execute(db);
  }
}

export const upOnline = (db: Kysely<any>): Promise<void> =>
  createIndexOnline(db, {
    name: 'accounts_without_second_step',
    on: 'accounts (created_at, id) where second_step_at is null',
  });
