import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresAdapter, PostgresDialect, SqliteDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { AccountsTable } from './accounts.ts';
import type { ActivityTable } from './activity.ts';
import type { ConsentsTable } from './consents.ts';
import type { DevicesTable } from './devices.ts';
import type { KeysTable } from './keys.ts';
import type { LimitHitsTable } from './limits.ts';
import type { LockoutsTable } from './lockouts.ts';
import type { OutboxTable } from './outbox.ts';
import type { PromoCodesTable } from './promo-codes.ts';
import type { ResetLinksTable } from './reset-links.ts';
import type { SessionsTable } from './sessions.ts';
import { openSqlite } from './sqlite.ts';

/** Every table; one file each. Times are milliseconds since the epoch, in UTC. */
export interface Database {
  accounts: AccountsTable;
  activity: ActivityTable;
  consents: ConsentsTable;
  devices: DevicesTable;
  keys: KeysTable;
  limit_hits: LimitHitsTable;
  lockouts: LockoutsTable;
  outbox: OutboxTable;
  promo_codes: PromoCodesTable;
  reset_links: ResetLinksTable;
  sessions: SessionsTable;
}

export type Store = Kysely<Database>;
export type StoreTransaction = Transaction<Database>;
export type Engine = 'sqlite' | 'postgres';

/** Connects to PostgreSQL when there is a URL, else opens the SQLite file in the data folder, making both if needed. */
export function openStore({ dataDir, databaseUrl }: { dataDir: string; databaseUrl?: string | undefined }): Store {
  if (databaseUrl) return new Kysely({ dialect: new PostgresDialect({ pool: postgresPool(databaseUrl) }) });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return new Kysely({ dialect: new SqliteDialect({ database: openSqlite(join(dataDir, 'vestibule.sqlite')) }) });
}

const int8 = 20;

function postgresPool(connectionString: string): pg.Pool {
  // Our times fit a double exactly until the year 287396, so bigint columns come as numbers.
  const types = {
    getTypeParser: (oid: number, format?: 'text') => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
  };
  const pool = new pg.Pool({
    connectionString,
    types: types as pg.CustomTypesConfig,
    max: 10,
    // A database that hangs becomes a clear 503 within two seconds, not a waiting browser.
    connectionTimeoutMillis: 1500,
    query_timeout: 1900,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

/** Which engine a store speaks to, for the few statements that differ. */
export const engineOf = (store: Kysely<Database>): Engine =>
  store.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
