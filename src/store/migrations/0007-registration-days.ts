import { type Kysely, sql } from 'kysely';
import { createIndexOnline } from './online.ts';

/** Older versions neither read nor write the table, and ignore the index. */
export const oldestCode = '0001-baseline';

/** How far registrations of each day came, and an order for lists of accounts. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create table registration_days (
    -- Days since the epoch, in UTC.
    day integer not null primary key,
    -- Phone numbers for which someone requested a call, got it, confirmed it, and used that for an account.
    asked integer not null,
    called integer not null,
    confirmed integer not null,
    used integer not null,
    -- Accounts, and those of them whose address is proven.
    registered integer not null,
    proven integer not null
  )`.execute(db);
}
export const upOnline = (db: Kysely<any>): Promise<void> =>
  createIndexOnline(db, { name: 'accounts_created', on: 'accounts (created_at, id)' });
