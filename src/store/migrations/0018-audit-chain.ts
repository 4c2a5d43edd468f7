import { type Kysely, sql } from 'kysely';
import { engineOf } from '../database.ts';
import { createIndexOnline } from './online.ts';

/** Older code would add entries outside of the chain. */
export const oldestCode = '0018-audit-chain';

/** Entries of the audit log are links of a chain, which neither changes nor loses one. */
export async function up(db: Kysely<any>): Promise<void> {
  for (const column of [
    "actor_kind text not null default 'command'",
    'position bigint',
    'previous text',
    'salt text',
    'details text',
    'hash text',
  ])
    await sql`alter table audit_log add column ${sql.raw(column)}`.execute(db);
  await sql`create table audit_checkpoints (
    -- The last entry that was removed because of its age, and its hash.
    position bigint not null primary key,
    hash text not null,
    at bigint not null
  )`.execute(db);
  for (const statement of engineOf(db) === 'sqlite' ? sqliteTriggers : postgresTriggers)
    await sql.raw(statement).execute(db);
}
export async function upOnline(db: Kysely<any>): Promise<void> {
  await createIndexOnline(db, { name: 'audit_log_position', on: 'audit_log (position)' });
  await createIndexOnline(db, { name: 'audit_log_unlinked', on: 'audit_log (id) where hash is null' });
}

const same = (columns: readonly string[]) =>
  columns.map((column) => `new.${column} is not distinct from old.${column}`).join(' and ');

/** Only what an entry says about a person may be removed. */
const mayChange = `(
  new.subject = 'deleted' and new.reason is null and new.salt is null and ${same([
    ...['id', 'at', 'actor_kind', 'actor', 'origin', 'action', 'account_id'],
    ...['position', 'previous', 'details', 'hash'],
  ])})`;

const isOld = 'old.position <= coalesce((select max(position) from audit_checkpoints), 0)';

const refusal = 'the audit log keeps its entries as they are';

const sqliteTriggers = [
  `create trigger audit_log_unchanged before update on audit_log when not (${mayChange})
   begin select raise(abort, '${refusal}'); end`,
  `create trigger audit_log_kept before delete on audit_log when (${isOld}) is not true
   begin select raise(abort, '${refusal}'); end`,
  // `insert or replace` deletes without the trigger above.
  `create trigger audit_log_once before insert on audit_log when exists (select 1 from audit_log where id = new.id)
   begin select raise(abort, '${refusal}'); end`,
  `create trigger audit_checkpoints_unchanged before update on audit_checkpoints
   begin select raise(abort, '${refusal}'); end`,
  `create trigger audit_checkpoints_kept before delete on audit_checkpoints
   begin select raise(abort, '${refusal}'); end`,
];

const postgresTriggers = [
  `create function refuse_audit_change() returns trigger language plpgsql as
   $$ begin raise exception '${refusal}'; end $$`,
  `create function refuse_audit_deletion() returns trigger language plpgsql as
   $$ begin if ${isOld} then return old; end if; raise exception '${refusal}'; end $$`,
  `create function refuse_audit_truncation() returns trigger language plpgsql as
   $$ begin if exists (select from audit_log) then raise exception '${refusal}'; end if; return null; end $$`,
  `create trigger audit_log_unchanged before update on audit_log
   for each row when (not (${mayChange})) execute function refuse_audit_change()`,
  'create trigger audit_log_kept before delete on audit_log for each row execute function refuse_audit_deletion()',
  'create trigger audit_log_whole before truncate on audit_log execute function refuse_audit_truncation()',
  `create trigger audit_checkpoints_unchanged before update or delete on audit_checkpoints
   for each row execute function refuse_audit_change()`,
];
