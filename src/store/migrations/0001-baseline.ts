import { type Kysely, sql } from 'kysely';
import { engineOf } from '../database.ts';
import { alarms, computers } from './baseline-devices.ts';
import { auditLog, operators, operatorTriggers, searchKeys } from './baseline-operators.ts';
import { access, accounts } from './baseline-people.ts';
import { applications, calls, emails, service, webhooks } from './baseline-service.ts';

/** Versions that know this migration keep working after the one in this file. */
export const oldestCode = '0001-baseline';

/**
 * The schema of the first release, the same for both engines apart from the partitions and triggers. Times are
 * milliseconds since the epoch.
 */
export async function up(db: Kysely<any>): Promise<void> {
  const engine = engineOf(db);
  await create(db, accounts);
  await create(db, access);
  await create(db, applications);
  await create(db, calls);
  await create(db, emails);
  await create(db, webhooks);
  await create(db, computers);
  await create(db, alarms);
  await create(db, operators);
  await create(db, auditLog);
  await create(db, searchKeys(engine));
  await create(db, service);
  for (const [table, { columns, indexes }] of Object.entries(byMonth)) {
    await (engine === 'sqlite' ? create(db, `create table ${table} (${columns})`) : divide(db, table, columns));
    await create(db, indexes);
  }
  for (const trigger of operatorTriggers(engine)) await sql.raw(trigger).execute(db);
}

async function create(db: Kysely<any>, statements: string): Promise<void> {
  for (const statement of statements.split(/;$/m)) if (statement.trim()) await sql.raw(statement).execute(db);
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
      read_at bigint,
      computer_id text,
      began_at bigint,
      ended_at bigint`,
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
