// People, and how they get in.
export const accounts = `
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
  -- The orders in which operators list accounts.
  create index accounts_created on accounts (created_at, id);
  create index accounts_locked on accounts (created_at, id) where locked_at is not null;
  create index accounts_leaving on accounts (created_at, id) where delete_at is not null;
  create index accounts_without_second_step on accounts (created_at, id) where second_step_at is null;
  -- Of the first characters: an address may be longer than an index of PostgreSQL takes.
  create index accounts_last_place on accounts (substr(last_place, 1, 200), id) where last_place is not null;

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

  -- How far the registrations of a day came.
  create table registration_days (
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
  );
`;

export const access = `
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
    session_id text,
    eligibility_changed_at bigint
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

  -- What single-use steps returned, for browsers whose response was lost.
  create table single_use_results (
    hash text not null primary key,
    account_id text references accounts (id) on delete cascade,
    result text not null,
    created_at bigint not null
  );
  create index single_use_results_account on single_use_results (account_id);
  create index single_use_results_created on single_use_results (created_at);
`;
