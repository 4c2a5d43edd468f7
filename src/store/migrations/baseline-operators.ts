import type { Engine } from '../database.ts';

export const operators = `
  create table operators (
    account_id text not null primary key references accounts (id) on delete cascade,
    role text not null,
    added_at bigint not null
  );

  create table operator_sessions (
    session_id text not null primary key references sessions (id) on delete cascade,
    seen_at bigint not null
  );

  create table operator_invitations (
    hash text not null primary key,
    email_key text not null,
    role text not null,
    created_at bigint not null,
    -- The operator who sent it; null for the command line.
    added_by text references accounts (id) on delete set null
  );
  create index operator_invitations_created on operator_invitations (created_at);
  create index operator_invitations_email on operator_invitations (email_key);
  create index operator_invitations_added_by on operator_invitations (added_by);

  -- For the management API.
  create table operator_keys (
    id text not null primary key,
    hash text not null unique,
    name text not null,
    role text not null,
    -- Ranges of addresses (CIDR), separated by commas; empty for any address.
    addresses text not null,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    last_used_at bigint,
    added_by text references accounts (id) on delete set null
  );
  create index operator_keys_added_by on operator_keys (added_by);

  create table operator_requests (
    -- Of the caller and the idempotency key.
    hash text not null primary key,
    -- Of the method, the address and the body.
    request text not null,
    attempt text not null,
    -- Sealed; null until the response was sent.
    response text,
    created_at bigint not null
  );
  create index operator_requests_created on operator_requests (created_at);

  create table operator_notes (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    at bigint not null,
    actor_kind text not null,
    actor text not null,
    text text not null
  );
  create index operator_notes_account on operator_notes (account_id, id);

  create table operator_jobs (
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
    finished_at bigint,
    -- Why it ended before it was done; null if it did not.
    stopped text
  );
  create index operator_jobs_open on operator_jobs (id) where finished_at is null;
  create index operator_jobs_created on operator_jobs (created_at);

  -- Who saw which error page.
  create table error_references (
    reference text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    at bigint not null
  );
  create index error_references_account on error_references (account_id);
  create index error_references_at on error_references (at);
`;

/** Entries are links of a chain, which neither changes nor loses one. No reference to accounts: they outlive them. */
export const auditLog = `
  create table audit_log (
    id text not null primary key,
    at bigint not null,
    actor text not null,
    origin text not null,
    action text not null,
    account_id text,
    subject text not null,
    reason text,
    actor_kind text not null default 'command',
    position bigint,
    previous text,
    salt text,
    details text,
    hash text
  );
  create index audit_log_account on audit_log (account_id, id);
  create index audit_log_position on audit_log (position);
  create index audit_log_actor on audit_log (actor, at);
  create index audit_log_actor_kind on audit_log (actor_kind, id);

  create table audit_checkpoints (
    -- The last entry that was removed because of its age, and its hash.
    position bigint not null primary key,
    hash text not null,
    at bigint not null
  );
`;

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

const sqliteAuditTriggers = [
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

const postgresAuditTriggers = [
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

/** What operators find accounts by. In the order of bytes, all keys with the same beginning are neighbors. */
export const searchKeys = (engine: Engine) => `
  create table search_keys (
    account_id text not null references accounts (id) on delete cascade,
    kind text not null,
    key text not null ${engine === 'postgres' ? 'collate "C"' : ''},
    primary key (kind, key, account_id)
  );
  create index search_keys_account on search_keys (account_id);

  -- Accounts whose keys are not up to date, the newest first.
  create table search_changes (
    account_id text not null references accounts (id) on delete cascade,
    at bigint not null
  );
  create index search_changes_at on search_changes (at);
  create index search_changes_account on search_changes (account_id);
`;

const changed = (columns: readonly string[]) =>
  columns.map((column) => `new.${column} is distinct from old.${column}`).join(' or ');

const accountChanged = changed(['email_key', 'name', 'organization', 'phone']);

/** A computer that is deleted with its account needs no note. */
const noteOwner = (row: 'new' | 'old', at: string) =>
  `insert into search_changes (account_id, at) select id, ${at} from accounts where id = ${row}.account_id`;

const sqliteNow = "cast(unixepoch('subsec') * 1000 as integer)";

const sqliteSearchTriggers = [
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

const postgresSearchTriggers = [
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

/** One statement each. */
export const operatorTriggers = (engine: Engine): readonly string[] =>
  engine === 'sqlite'
    ? [...sqliteAuditTriggers, ...sqliteSearchTriggers]
    : [...postgresAuditTriggers, ...postgresSearchTriggers];
