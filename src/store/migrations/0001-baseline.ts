import { type Kysely, sql } from 'kysely';
import { engineOf } from '../database.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-baseline';

/**
 * The schema of the first release, the same for both engines apart from the partitions of PostgreSQL. Times are
 * milliseconds since the epoch.
 */
export async function up(db: Kysely<any>): Promise<void> {
  await create(db, accounts);
  await create(db, access);
  await create(db, applications);
  await create(db, calls);
  await create(db, emails);
  await create(db, webhooks);
  await create(db, computers);
  await create(db, operators);
  await create(db, service);
  for (const [table, { columns, indexes }] of Object.entries(byMonth)) {
    await (engineOf(db) === 'sqlite' ? create(db, `create table ${table} (${columns})`) : divide(db, table, columns));
    await create(db, indexes);
  }
}
async function create(db: Kysely<any>, statements: string): Promise<void> {
  for (const statement of statements.split(';')) if (statement.trim()) await sql.raw(statement).execute(db);
}

/**
 * Creates a table with partitions, at first only the default one: the clean-up adds the months (`partitions.ts`). Each
 * partition has its own foreign keys: to combine them, PostgreSQL would lock `accounts` completely for each new month.
 */
async function divide(db: Kysely<any>, table: string, columns: string): Promise<void> {
  const key = /^\s*(\w+)/.exec(columns)?.[1];
  await create(
    db,
    `create table ${table}_default (${columns});
     create table ${table} (like ${table}_default including defaults, primary key (${key})) partition by range (${key});
     alter table ${table} attach partition ${table}_default default`,
  );
}

const accounts = `
  create table accounts (
    id text not null primary key,
    email text not null,
    email_key text not null unique,
    name text not null,
    phone text not null,
    phone_confirmed_at bigint,
    organization text,
    inn text,
    promo_code text,
    locale text not null,
    db_type text,
    last_place text,
    password_hash text not null,
    password_changed_at bigint not null,
    created_at bigint not null,
    email_proven_at bigint,
    mail_new_device integer not null default 1,
    delete_at bigint,
    locked_at bigint,
    time_zone text,
    -- Hash of the registration with its idempotency key, null without one.
    registration_attempt text,
    -- When an authenticator was confirmed, so that sign-ins need a second step.
    second_step_at bigint
  );
  create index accounts_delete_at on accounts (delete_at) where delete_at is not null;

  create table consents (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    kind text not null,
    given integer not null,
    version integer not null,
    locale text not null,
    at bigint not null,
    -- URL of the document that the owner agreed to.
    document text
  );
  create index consents_account on consents (account_id);

  create table promo_codes (
    code text not null primary key,
    uses_left integer,
    used integer not null,
    valid_until bigint,
    created_at bigint not null
  );

  create table email_changes (
    token_hash text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    email text not null,
    created_at bigint not null,
    changed_at bigint,
    undo_hash text unique,
    old_email text,
    -- When the old address was proven, null if it never was.
    old_email_proven_at bigint,
    -- Sessions, whose own rows are cleaned up earlier.
    requested_in text,
    confirmed_in text
  );
  create index email_changes_account on email_changes (account_id);
  create index email_changes_created on email_changes (created_at);
  create index email_changes_old on email_changes (lower(old_email));
`;

const access = `
  create table sessions (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    generation integer not null,
    rotated_at bigint not null,
    created_at bigint not null,
    expires_at bigint not null,
    ended_at bigint,
    end_reason text,
    ip text not null,
    user_agent text not null,
    late_answers integer not null default 0,
    -- When the owner last re-entered the password.
    proven_at bigint,
    -- 1 on a shared computer.
    shared integer not null default 0,
    -- How the session began, null for one unknown factor.
    amr text,
    acr text,
    device_hash text
  );
  -- No index covers the columns that a rotation changes, so that PostgreSQL can update in place (HOT).
  create index sessions_account on sessions (account_id);
  create index sessions_expiry on sessions (expires_at);

  create table devices (
    token_hash text not null,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null,
    last_seen_at bigint not null,
    ip text,
    user_agent text,
    -- Until when a known device needs no second step.
    remembered_until bigint,
    constraint devices_key primary key (token_hash, account_id)
  );
  create index devices_seen on devices (last_seen_at);
  create index devices_account on devices (account_id);

  create table lockouts (
    key text not null primary key,
    failures integer not null,
    pending integer not null,
    pending_since bigint not null,
    locked_until bigint not null,
    last_failure_at bigint not null
  );
  create index lockouts_pending on lockouts (pending_since);

  create table reset_links (
    token_hash text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    outbox_id text not null,
    created_at bigint not null,
    used_at bigint,
    db_type text
  );
  create index reset_links_created on reset_links (created_at);
  create index reset_links_account on reset_links (account_id);
  create index reset_links_outbox on reset_links (outbox_id);

  create table mail_codes (
    id text not null primary key,
    email_key text not null,
    account_id text references accounts (id) on delete cascade,
    outbox_id text,
    proof text not null,
    attempts_left integer not null,
    created_at bigint not null,
    used_at bigint
  );
  create index mail_codes_account on mail_codes (account_id);
  create index mail_codes_created on mail_codes (created_at);

  create table passkeys (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    aaguid text not null,
    public_key text not null,
    algorithm integer not null,
    counter bigint not null,
    transports text not null,
    backup_eligible integer not null,
    backed_up integer not null,
    created_at bigint not null,
    last_used_at bigint,
    session_id text
  );
  create index passkeys_account on passkeys (account_id, created_at);

  create table passkey_users (
    account_id text not null primary key references accounts (id) on delete cascade,
    handle text not null unique
  );

  create table passkey_challenges (
    hash text not null primary key,
    purpose text not null,
    browser_hash text not null,
    account_id text references accounts (id) on delete cascade,
    session_id text,
    automatic integer not null,
    created_at bigint not null
  );
  create index passkey_challenges_account on passkey_challenges (account_id);
  create index passkey_challenges_created on passkey_challenges (created_at);

  create table authenticators (
    account_id text not null primary key references accounts (id) on delete cascade,
    secret text,
    confirmed_at bigint,
    last_step bigint not null default 0,
    pending_secret text,
    pending_at bigint,
    recovery_key text,
    session_id text
  );

  -- No reference to sessions, whose rows outlive its own.
  create table pending_authenticators (
    session_id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    secret text not null,
    created_at bigint not null
  );
  create index pending_authenticators_account on pending_authenticators (account_id);
  create index pending_authenticators_created on pending_authenticators (created_at);

  create table recovery_codes (
    mac text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null,
    session_id text
  );
  create index recovery_codes_account on recovery_codes (account_id);

  create table pending_sign_ins (
    token_hash text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null,
    method text not null,
    shared integer not null,
    db_type text,
    device_hash text,
    user_agent text not null
  );
  create index pending_sign_ins_account on pending_sign_ins (account_id);
  create index pending_sign_ins_created on pending_sign_ins (created_at);

  create table second_step_removals (
    account_id text not null primary key references accounts (id) on delete cascade,
    token_hash text not null unique,
    requested_at bigint not null,
    due_at bigint not null
  );
  create index second_step_removals_due on second_step_removals (due_at);
`;

const applications = `
  create table clients (
    id text not null primary key,
    name text not null,
    redirect_uris text not null,
    post_logout_uris text not null,
    backchannel_logout_uri text,
    groups text not null,
    resources text not null,
    signing text not null,
    public integer not null,
    first_party integer not null,
    service integer not null,
    device integer not null,
    claims_in_id_token integer not null,
    from_file integer not null,
    created_at bigint not null
  );

  create table client_secrets (
    hash text not null primary key,
    client_id text not null references clients (id) on delete cascade,
    created_at bigint not null
  );
  create index client_secrets_client on client_secrets (client_id);

  create table account_groups (
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    added_at bigint not null,
    constraint account_groups_key primary key (account_id, name)
  );
  create index account_groups_name on account_groups (name, account_id);

  create table client_grants (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    client_id text not null references clients (id) on delete cascade,
    session_id text,
    sid text not null,
    scopes text not null,
    offline integer not null,
    late_answers integer not null default 0,
    created_at bigint not null,
    expires_at bigint not null,
    approved_in text
  );
  create unique index client_grants_session on client_grants (session_id, client_id) where session_id is not null;
  create index client_grants_account on client_grants (account_id, client_id);
  create index client_grants_client on client_grants (client_id);
  create index client_grants_expiry on client_grants (expires_at);
  create index client_grants_approved on client_grants (approved_in) where approved_in is not null;

  create table connected_clients (
    account_id text not null references accounts (id) on delete cascade,
    client_id text not null references clients (id) on delete cascade,
    scopes text not null,
    connected_at bigint not null,
    last_used_at bigint not null,
    constraint connected_clients_key primary key (account_id, client_id)
  );
  create index connected_clients_client on connected_clients (client_id);

  create table openid_records (
    key text not null primary key,
    payload text not null,
    grant_id text,
    user_code text,
    consumed_at bigint,
    expires_at bigint not null
  );
  create index openid_records_grant on openid_records (grant_id);
  create unique index openid_records_user_code on openid_records (user_code) where user_code is not null;
  create index openid_records_expiry on openid_records (expires_at);

  create table logout_notices (
    id text not null primary key,
    client_id text not null references clients (id) on delete cascade,
    subject text not null,
    sid text not null,
    created_at bigint not null,
    due_at bigint not null,
    attempts integer not null,
    leased_until bigint not null default 0,
    sent_at bigint,
    gave_up_at bigint,
    last_error text
  );
  create index logout_notices_due on logout_notices (due_at);
  create index logout_notices_lane on logout_notices (client_id, due_at) where sent_at is null and gave_up_at is null;
  create index logout_notices_age on logout_notices (created_at);
  create index logout_notices_client on logout_notices (client_id);

  create table forward_auth_codes (
    hash text not null primary key,
    session_id text not null references sessions (id) on delete cascade,
    client_id text not null,
    origin text not null,
    nonce_hash text not null,
    created_at bigint not null
  );
  create index forward_auth_codes_created on forward_auth_codes (created_at);
  create index forward_auth_codes_session on forward_auth_codes (session_id);
`;

const calls = `
  create table phone_calls (
    id text not null primary key,
    phone text not null,
    way text not null,
    state text not null,
    proof text,
    provider text,
    reference text,
    attempts_left integer not null,
    locale text not null,
    created_at bigint not null,
    expires_at bigint not null,
    confirmed_at bigint,
    used_at bigint,
    source text,
    -- The email with a confirmation link: the link’s hour begins when it is sent.
    outbox_id text,
    -- ISO 3166, null for links by email.
    country text,
    -- Hash of the idempotency key of the request, null without one.
    attempt text,
    -- E.164: the number to call for a reverse call, stored so that a repeated request returns it again.
    number text,
    -- SHA-256 of the cookie of the browser that asked for it.
    browser text,
    -- How many digits confirm it.
    digits integer,
    -- When the provider reported that the call or message did not arrive.
    lost_at bigint,
    -- Ids of the rows in limit_hits that count its cost, while the provider may still refund it.
    charge text
  );
  create index phone_calls_phone on phone_calls (phone);
  create index phone_calls_created on phone_calls (created_at);
  create index phone_calls_country on phone_calls (country, way, created_at);
  create index phone_calls_charged on phone_calls (expires_at) where charge is not null;
`;

const emails = `
  create table outbox (
    id text not null primary key,
    account_id text,
    channel text not null,
    notice text not null,
    locale text not null,
    recipient text not null,
    params text not null,
    created_at bigint not null,
    due_at bigint not null,
    attempts integer not null,
    leased_until bigint not null,
    sent_at bigint,
    gave_up_at bigint,
    last_error text,
    -- Urgent emails go first.
    urgent integer not null default 0
  );
  -- Only unsent emails: the worker’s query stays fast, however many were sent before.
  create index outbox_due on outbox (due_at) where sent_at is null and gave_up_at is null;
  -- For the order of an account’s emails: is there an older one?
  create index outbox_order on outbox (account_id, id) where sent_at is null and gave_up_at is null;
  create index outbox_sent on outbox (sent_at);
  create index outbox_account on outbox (account_id);
  create index outbox_gave_up on outbox (gave_up_at) where gave_up_at is not null;
  create index outbox_turn on outbox (urgent, created_at, id) where sent_at is null and gave_up_at is null;

  create table unreachable_addresses (
    email_key text not null primary key,
    email text not null,
    reason text not null,
    told_by text not null,
    detail text not null,
    at bigint not null
  );
  create index unreachable_addresses_at on unreachable_addresses (at);

  create table returned_emails (
    id text not null primary key,
    told_by text not null,
    kind text not null,
    at bigint not null
  );
  create index returned_emails_at on returned_emails (at);
`;

const webhooks = `
  -- No reference to the account: the report of a deletion outlives it.
  create table webhook_deliveries (
    id text not null primary key,
    receiver text not null,
    account_id text not null,
    position bigint not null,
    type text not null,
    data text not null,
    created_at bigint not null,
    due_at bigint not null,
    attempts integer not null,
    leased_until bigint not null,
    sent_at bigint,
    gave_up_at bigint,
    last_error text
  );
  create index webhook_deliveries_due on webhook_deliveries (receiver, due_at) where sent_at is null and gave_up_at is null;
  create index webhook_deliveries_order on webhook_deliveries (receiver, account_id, position);
  create index webhook_deliveries_account on webhook_deliveries (account_id);
  create index webhook_deliveries_created on webhook_deliveries (created_at);
  create index webhook_deliveries_sent on webhook_deliveries (sent_at) where sent_at is not null;

  create table webhook_receivers (
    id text not null primary key,
    disabled_at bigint not null
  );
`;

const computers = `
  create table computers (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    platform text not null,
    version text,
    token_hash text not null unique,
    created_at bigint not null,
    last_seen_at bigint not null,
    signs text not null,
    records_since_trim integer not null default 0,
    warnings text not null default '',
    history text not null default '',
    -- The default makes a new computer due immediately.
    alarm_check_at bigint not null default 0,
    alarm_silent_at bigint,
    alarm_warnings text not null default '',
    tags text not null default '[]'
  );
  -- No index covers the columns that a heartbeat changes, so that PostgreSQL can update in place (HOT).
  create index computers_account on computers (account_id);
  create index computers_alarm_check on computers (alarm_check_at);

  create table enrolments (
    code_hash text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null,
    used_at bigint
  );
  create index enrolments_account on enrolments (account_id);
  create index enrolments_created on enrolments (created_at);

  -- No reference to computers: a removed one still counts.
  create table record_counts (
    account_id text not null references accounts (id) on delete cascade,
    computer_id text not null,
    day integer not null,
    records integer not null,
    constraint record_counts_key primary key (account_id, computer_id, day)
  );
  create index record_counts_day on record_counts (day);

  create table alarm_rules (
    account_id text not null primary key references accounts (id) on delete cascade,
    silent_after bigint not null,
    disk_low integer not null,
    battery_low integer not null,
    by_email integer not null,
    quiet_from integer,
    quiet_until integer
  );

  create table alarm_tag_rules (
    account_id text not null references accounts (id) on delete cascade,
    tag_json text not null,
    silent_after bigint not null,
    disk_low integer not null,
    battery_low integer not null,
    constraint alarm_tag_rules_pkey primary key (account_id, tag_json)
  );

  create table alarm_overrides (
    computer_id text not null primary key references computers (id) on delete cascade,
    account_id text not null references accounts (id) on delete cascade,
    silent_after bigint,
    disk_low integer,
    battery_low integer,
    muted_until bigint not null default 0
  );
  create index alarm_overrides_account on alarm_overrides (account_id);

  create table alarm_watch (
    id integer primary key,
    evaluated_at bigint not null,
    counted_from bigint not null,
    heard_at bigint not null,
    judged_at bigint not null,
    unreachable integer not null
  );
`;

const operators = `
  -- No reference to accounts: it outlives them.
  create table audit_log (
    id text not null primary key,
    at bigint not null,
    actor text not null,
    origin text not null,
    action text not null,
    account_id text,
    subject text not null,
    reason text
  );
  create index audit_log_account on audit_log (account_id, id);
`;

const service = `
  create table keys (
    id text not null primary key,
    purpose text not null,
    secret text not null,
    created_at bigint not null,
    retired_at bigint
  );

  create table limit_hits (
    id text not null primary key,
    key text not null,
    at bigint not null,
    units integer not null default 1
  );
  create index limit_hits_key on limit_hits (key, at);
  create index limit_hits_at on limit_hits (at);

  -- A node writes here to test whether it can.
  create table write_probes (
    id integer primary key,
    at bigint not null
  );
`;

/** Tables that grow with time. Their key, the first column, is a UUID that sorts by time. */
const byMonth = {
  activity: {
    columns: `
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      at bigint not null,
      kind text not null,
      ip text not null,
      user_agent text not null`,
    indexes: `
      create index activity_account on activity (account_id, id);`,
  },
  notifications: {
    columns: `
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      at bigint not null,
      kind text not null,
      name text not null,
      read_at bigint`,
    indexes: `
      create index notifications_account on notifications (account_id, id);`,
  },
  records: {
    columns: `
      seq text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      computer_id text not null references computers (id) on delete cascade,
      id text not null,
      at bigint not null,
      kind text not null,
      text text not null,
      constraint records_once unique (computer_id, id)`,
    indexes: `
      create index records_account on records (account_id, seq);
      create index records_computer on records (computer_id, seq);
      -- Finds a rare kind without a scan of all records of an account.
      create index records_kind on records (account_id, kind, seq);`,
  },
};
