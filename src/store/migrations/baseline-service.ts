// Applications, what the service sends, and what it keeps about itself.
export const applications = `
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
    created_at bigint not null,
    apis text not null default '[]',
    claims text not null default '{}',
    without_pkce integer not null default 0,
    -- The operator who added or changed it, and was shut out soon after, and when that was.
    doubted_by text,
    doubted_at bigint
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
    approved_in text,
    resources text not null default '{}'
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
    resources text not null default '{}',
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

  create table client_refusals (
    client_id text not null references clients (id) on delete cascade,
    code text not null,
    explanation text not null,
    value text not null,
    route text not null,
    reference text not null,
    at bigint not null,
    constraint client_refusals_key primary key (client_id, code, explanation)
  );
  create index client_refusals_at on client_refusals (at);
`;

export const calls = `
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

export const emails = `
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

export const webhooks = `
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
    disabled_at bigint not null,
    -- The operator who added it, and was shut out soon after; null if it responded 410 Gone.
    doubted_by text
  );

  -- Those that operators added.
  create table stored_receivers (
    id text not null primary key,
    -- The URL and its secrets, sealed.
    target text not null,
    -- Types of events, separated by spaces.
    events text not null,
    created_at bigint not null
  );
`;

export const service = `
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

  create table nodes (
    id text not null primary key,
    name text not null,
    version text not null,
    started_at bigint not null,
    seen_at bigint not null
  );
  create index nodes_seen on nodes (seen_at);

  create table settings_seen (
    id text not null primary key,
    -- The settings of the last start, sealed.
    settings text not null,
    at bigint not null
  );

  create table statistics (
    series text not null,
    -- Hours since the epoch.
    hour integer not null,
    label text not null,
    count bigint not null,
    primary key (series, hour, label)
  );
  create index statistics_hour on statistics (hour);

  -- Which of the batches of each node are added.
  create table statistics_nodes (
    id text not null primary key,
    batch integer not null,
    at bigint not null
  );
  create index statistics_nodes_at on statistics_nodes (at);
`;
