export const computers = `
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
    tags text not null default '[]',
    -- When it said goodbye, which only counts while it equals last_seen_at, why, and until when it wants to be back.
    left_at bigint,
    left_for text,
    returns_by bigint,
    instances text not null default '',
    address text,
    kind text not null default 'computer',
    muted_until bigint not null default 0,
    alarm_events text not null default '',
    alarm_limits text not null default '',
    readings text not null default ''
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

  -- With which several computers add themselves to an account.
  create table enrolment_keys (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    key_hash text not null unique,
    tags text not null,
    networks text not null,
    max_uses integer not null,
    uses integer not null,
    created_at bigint not null,
    expires_at bigint not null,
    last_used_at bigint,
    revoked_at bigint
  );
  create index enrolment_keys_account on enrolment_keys (account_id);
  create index enrolment_keys_expires on enrolment_keys (expires_at);

  -- No reference to computers: a removed one still counts.
  create table record_counts (
    account_id text not null references accounts (id) on delete cascade,
    computer_id text not null,
    day integer not null,
    records integer not null,
    constraint record_counts_key primary key (account_id, computer_id, day)
  );
  create index record_counts_day on record_counts (day);
`;

export const alarms = `
  create table alarm_watch (
    id integer primary key,
    evaluated_at bigint not null,
    counted_from bigint not null,
    heard_at bigint not null,
    judged_at bigint not null,
    unreachable integer not null
  );

  create table alarm_plans (
    account_id text not null primary key references accounts (id) on delete cascade,
    -- JSON; null for the usual rules.
    rules text,
    pauses text not null default '[]',
    quiet text
  );

  create table incidents (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    kind text not null,
    began_at bigint not null,
    latest_at bigint not null,
    opened_at bigint not null,
    changed_at bigint not null,
    due_at bigint,
    first_size integer not null default 0,
    announced integer not null default 0,
    announced_at bigint,
    unstable integer not null default 0,
    tag text,
    address text,
    ended_at bigint,
    acknowledged_at bigint,
    note text not null default '',
    seen_at bigint
  );
  create index incidents_account on incidents (account_id, id);
  create index incidents_due on incidents (due_at) where due_at is not null;
  -- The menu of each page counts them.
  create index incidents_open on incidents (account_id) where due_at is not null;

  create table incident_members (
    incident_id text not null references incidents (id) on delete cascade,
    computer_id text not null,
    name text not null,
    tags text not null,
    address text,
    since bigint not null,
    joined_at bigint not null,
    back_at bigint,
    rule text not null default '',
    end_value integer,
    constraint incident_members_key primary key (incident_id, computer_id)
  );
  create index incident_members_computer on incident_members (computer_id);

  create table alarm_channels (
    account_id text not null references accounts (id) on delete cascade,
    channel text not null,
    after_minutes integer not null,
    target text not null default '',
    broken text,
    broken_at bigint,
    set_at bigint not null default 0,
    constraint alarm_channels_key primary key (account_id, channel)
  );

  create table alarm_messages (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    incident_id text references incidents (id) on delete cascade,
    channel text not null,
    event text not null,
    turn integer not null,
    recipient text not null,
    placing_at bigint,
    created_at bigint not null,
    due_at bigint not null,
    attempts integer not null,
    leased_until bigint not null,
    sent_at bigint,
    gave_up_at bigint,
    last_error text,
    -- The key that someone pressed during a call.
    answer text
  );
  create index alarm_messages_due on alarm_messages (channel, due_at) where sent_at is null and gave_up_at is null;
  create index alarm_messages_account on alarm_messages (account_id, id);
  create index alarm_messages_incident on alarm_messages (incident_id, id);

  create table telegram_links (
    token_hash text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null
  );
  create index telegram_links_account on telegram_links (account_id);
  create index telegram_links_created on telegram_links (created_at);

  create table push_subscriptions (
    id text not null primary key,
    account_id text not null references accounts (id) on delete cascade,
    session_id text not null,
    endpoint text not null unique,
    p256dh text not null,
    auth text not null,
    browser text not null,
    created_at bigint not null,
    seen_at bigint not null
  );
  create index push_subscriptions_account on push_subscriptions (account_id, seen_at);
  create index push_subscriptions_seen on push_subscriptions (seen_at);
`;
