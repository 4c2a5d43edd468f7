import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, inject, onTestFinished, vi } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { type AccountsTable, addAccount } from '../../store/accounts/accounts.ts';
import { type Engine, engineOf, openStore, type Store, type StoreTransaction } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { databaseFile } from '../../store/sqlite/files.ts';
import { onFileEnd } from '../file-cleanup.ts';
import { possibleEngines, requestedEngines } from './engines.ts';

/** For `describe.each(engines)`: both engines, for what they may do differently, such as requests that meet. */
export const engines = possibleEngines();

/** For all other tests over HTTP: SQLite, and both engines in the full run. The statements are tested in `src/store`. */
export const usualEngines: readonly Engine[] = requestedEngines() ?? ['sqlite'];

/** For `runIf`: skips tests of PostgreSQL alone if only SQLite is requested. */
export const withPostgres = engines.includes('postgres');

/** A database as the settings that `openStore` and the server take. */
export interface TestDatabase {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

/** For `openStore`: a slow database must not fail a test, since the machine may be busy. */
export const withLongTimeouts = { timeBudget: minutes(5) };

/** A new, empty database, removed after the test file. */
export const freshDatabase = (engine: Engine): Promise<TestDatabase> =>
  engine === 'sqlite' ? newFolder() : newPostgres('template1');

/** The same with the current tables. They are copied: running all migrations would double the time to open a server. */
export async function migratedDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres') return newPostgres(inject('postgresWithTables'));
  const database = await newFolder();
  writeFileSync(databaseFile(database.dataDir), await tablesOfSqlite(), { mode: 0o600 });
  return database;
}

/** A new, open database with the current tables; closed and removed after the test file. */
export async function freshStore(engine: Engine): Promise<Store> {
  const store = openStore(await migratedDatabase(engine), withLongTimeouts);
  onFileEnd(() => store.destroy());
  return store;
}

/** Opens a store, which closes after the test. */
export function openTestStore(
  database: Parameters<typeof openStore>[0],
  options: Parameters<typeof openStore>[1] = withLongTimeouts,
): Store {
  const store = openStore(database, options);
  onTestFinished(() => store.destroy());
  return store;
}

/** Stores an account without a registration, and returns it. */
export async function storePerson(
  store: Store,
  changes: Partial<Parameters<typeof addAccount>[1]> = {},
): Promise<AccountsTable> {
  const id = changes.id ?? randomUUID();
  const person = { email: `${id}@mail.example`, name: 'Anna Berg', phone: '+4915123456789', locale: 'en' } as const;
  const times = { password_hash: 'hash', password_changed_at: 0, created_at: 0 };
  const account = await addAccount(store as StoreTransaction, { ...person, ...times, ...changes, id });
  if (!account) throw new Error('the address is taken');
  return account;
}

/** How many statements wait for a lock in this database (PostgreSQL). */
export async function lockWaits(store: Store): Promise<number> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(store);
  return rows.length;
}

/** Commits `change` while a request that began before waits for it, or is over because it needs no lock. */
export async function overtake<Response>(
  store: Store,
  { change, send }: { change(trx: StoreTransaction): Promise<unknown>; send(): Promise<Response> },
): Promise<Response> {
  const writes = watchWrites(store);
  const request = await store.transaction().execute(async (trx) => {
    await change(trx);
    const before = writes();
    let isOver = false;
    const sent = send().finally(() => {
      isOver = true;
    });
    // Those of SQLite take turns.
    const waits = async () => (engineOf(trx) === 'sqlite' ? writes() > before : (await lockWaits(trx)) > 0);
    await expect.poll(async () => isOver || waits(), { timeout: minutes(1) }).toBe(true);
    return { sent };
  });
  return request.sent;
}

/** Counts transactions, and changes outside of one. */
function watchWrites(store: Store): () => number {
  const transactions = vi.spyOn(store, 'transaction');
  const statements = vi.spyOn(store.getExecutor(), 'executeQuery');
  onTestFinished(() => {
    transactions.mockRestore();
    statements.mockRestore();
  });
  const isRead = ({ sql: text }: { readonly sql: string }) => /^\s*select/i.test(text);
  return () => transactions.mock.calls.length + statements.mock.calls.filter(([query]) => !isRead(query)).length;
}

async function newFolder(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-test-'));
  onFileEnd(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  return { dataDir };
}

async function newPostgres(template: string): Promise<TestDatabase> {
  const { dataDir } = await newFolder();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // By default, each page of the copy would also be logged, which takes twice as long.
  await askPostgres(`create database ${name} template ${template} strategy file_copy`);
  onFileEnd(() => askPostgres(`drop database ${name} with (force)`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return { dataDir, databaseUrl: url.href };
}

let tables: Promise<Buffer> | undefined;

/** An SQLite file with the current tables, created once for all test files of a process. */
function tablesOfSqlite(): Promise<Buffer> {
  tables ??= newFolder().then(async (database) => {
    await migrate(database);
    return readFileSync(databaseFile(database.dataDir));
  });
  return tables;
}

async function askPostgres(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(statement);
  await client.end();
}
