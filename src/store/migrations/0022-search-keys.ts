import { type Kysely, sql } from 'kysely';
import { engineOf } from '../database.ts';
import { createIndexOnline } from './online.ts';

/** Older code changes accounts without knowing these tables: the triggers also note its changes. */
export const oldestCode = '0001-baseline';

/** What operators find accounts by, and the accounts whose keys are not up to date. */
export async function up(db: Kysely<any>): Promise<void> {
  const isPostgres = engineOf(db) === 'postgres';
  // In the order of bytes, all keys with the same beginning are neighbors.
  await sql`create table search_keys (
    account_id text not null references accounts (id) on delete cascade,
    kind text not null,
    key text not null ${sql.raw(isPostgres ? 'collate "C"' : '')},
    primary key (kind, key, account_id)
  )`.execute(db);
  await sql`create index search_keys_account on search_keys (account_id)`.execute(db);
  await sql`create table search_changes (
    account_id text not null references accounts (id) on delete cascade,
    -- The newest are done first; 0 for accounts that were there before this table.
    at bigint not null
  )`.execute(db);
  await sql`create index search_changes_at on search_changes (at)`.execute(db);
  await sql`create index search_changes_account on search_changes (account_id)`.execute(db);
  for (const statement of isPostgres ? postgresTriggers : sqliteTriggers) await sql.raw(statement).execute(db);
}

const changed = (columns: readonly string[]) =>
  columns.map((column) => `new.${column} is distinct from old.${column}`).join(' or ');

const accountChanged = changed(['email_key', 'name', 'organization', 'phone']);

/** A computer that is deleted with its account needs no note. */
const noteOwner = (row: 'new' | 'old', at: string) =>
  `insert into search_changes (account_id, at) select id, ${at} from accounts where id = ${row}.account_id`;

const sqliteNow = "cast(unixepoch('subsec') * 1000 as integer)";

const sqliteTriggers = [
  `create trigger accounts_search_added after insert on accounts
   begin insert into search_changes (account_id, at) values (new.id, ${sqliteNow}); end`,
  `create trigger accounts_search_changed after update of email_key, name, organization, phone on accounts
   when ${accountChanged} begin insert into search_changes (account_id, at) values (new.id, ${sqliteNow}); end`,
  `create trigger computers_search_added after insert on computers begin ${noteOwner('new', sqliteNow)}; end`,
  `create trigger computers_search_changed after update of name on computers
   when ${changed(['name'])} begin ${noteOwner('new', sqliteNow)}; end`,
  `create trigger computers_search_removed after delete on computers begin ${noteOwner('old', sqliteNow)}; end`,
];

const postgresNow = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const postgresTriggers = [
  `create function note_account_for_search() returns trigger language plpgsql as
   $$ begin insert into search_changes (account_id, at) values (new.id, ${postgresNow}); return null; end $$`,
  `create function note_owner_for_search() returns trigger language plpgsql as
   $$ begin if tg_op = 'DELETE' then ${noteOwner('old', postgresNow)}; else ${noteOwner('new', postgresNow)}; end if;
   return null; end $$`,
  `create trigger accounts_search_added after insert on accounts
   for each row execute function note_account_for_search()`,
  `create trigger accounts_search_changed after update of email_key, name, organization, phone on accounts
   for each row when (${accountChanged}) execute function note_account_for_search()`,
  `create trigger computers_search_added after insert or delete on computers
   for each row execute function note_owner_for_search()`,
  `create trigger computers_search_changed after update of name on computers
   for each row when (${changed(['name'])}) execute function note_owner_for_search()`,
];

const batchSize = 5000;

/** Notes all accounts: nodes work through the notes meanwhile, and after a restart continue with the rest. */
export async function upOnline(db: Kysely<any>): Promise<void> {
  const newestWhere = (condition: string) => `accounts (created_at, id) where ${condition}`;
  await createIndexOnline(db, { name: 'accounts_locked', on: newestWhere('locked_at is not null') });
  await createIndexOnline(db, { name: 'accounts_leaving', on: newestWhere('delete_at is not null') });
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string }>`insert into search_changes (account_id, at)
      select id, 0 from accounts where id > ${after} order by id limit ${batchSize} returning account_id as id`.execute(
      db,
    );
    if (rows.length === 0) return;
    after = rows.reduce((last, { id }) => (id > last ? id : last), '');
  }
}
