import { type Kysely, sql } from 'kysely';

/** Older code leaves addresses empty, and emails what it finds itself: each alarm is found by one node. */
export const oldestCode = '0001-baseline';
export async function up(db: Kysely<any>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table computers add column address text',
  `create table incidents (
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
  )`,
  'create index incidents_account on incidents (account_id, id)',
  'create index incidents_due on incidents (due_at) where due_at is not null',
  `create table incident_members (
    incident_id text not null references incidents (id) on delete cascade,
    computer_id text not null,
    name text not null,
    tags text not null,
    address text,
    since bigint not null,
    joined_at bigint not null,
    back_at bigint,
    constraint incident_members_key primary key (incident_id, computer_id)
  )`,
  'create index incident_members_computer on incident_members (computer_id)',
  `create table alarm_channels (
    account_id text not null references accounts (id) on delete cascade,
    channel text not null,
    after_minutes integer not null,
    target text not null default '',
    broken text,
    broken_at bigint,
    constraint alarm_channels_key primary key (account_id, channel)
  )`,
  `create table alarm_messages (
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
    last_error text
  )`,
  'create index alarm_messages_due on alarm_messages (channel, due_at) where sent_at is null and gave_up_at is null',
  'create index alarm_messages_account on alarm_messages (account_id, id)',
  'create index alarm_messages_incident on alarm_messages (incident_id, id)',
];
