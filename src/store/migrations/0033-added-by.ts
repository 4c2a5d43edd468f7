import { type Kysely, sql } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Older code adds keys and invitations without it: these end only by themselves, or if an owner revokes them. */
export const oldestCode = '0001-baseline';

const given = ['operator_keys', 'operator_invitations'];

/** Which operator added a key or sent an invitation; null for the command line. */
export async function up(db: Kysely<any>): Promise<void> {
  for (const table of given)
    await sql`alter table ${sql.table(table)}
      add column added_by text references accounts (id) on delete set null`.execute(db);
}

export async function upOnline(db: Kysely<any>): Promise<void> {
  for (const table of given) await createIndexOnline(db, { name: `${table}_added_by`, on: `${table} (added_by)` });
  const newest = 'accounts (created_at, id) where second_step_at is null';
  await createIndexOnline(db, { name: 'accounts_without_second_step', on: newest });
}
