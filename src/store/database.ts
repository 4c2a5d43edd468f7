import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresAdapter, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { AccountsTable } from './accounts.ts';
import type { ActivityTable } from './activity.ts';
import type { ConsentsTable } from './consents.ts';
import type { DevicesTable } from './devices.ts';
import type { KeysTable } from './keys.ts';
import type { LimitHitsTable } from './limits.ts';
import type { LockoutsTable } from './lockouts.ts';
import type { OutboxTable } from './outbox.ts';
import type { PhoneCallsTable } from './phone-calls.ts';
import type { PromoCodesTable } from './promo-codes.ts';
import type { ResetLinksTable } from './reset-links.ts';
import type { SessionsTable } from './sessions.ts';
import { Sqlite } from './sqlite/dialect.ts';

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
  phone_calls: PhoneCallsTable;
  promo_codes: PromoCodesTable;
  reset_links: ResetLinksTable;
  sessions: SessionsTable;
}

export type Store = Kysely<Database>;
export type StoreTransaction = Transaction<Database>;
export type Engine = 'sqlite' | 'postgres';

export interface DatabaseSettings {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
}

/** Connects to PostgreSQL when there is a URL, else opens the SQLite file in the data folder, making both if needed. */
export function openStore({ dataDir, databaseUrl }: DatabaseSettings, patience: Patience = impatient): Store {
  if (databaseUrl) return new Kysely({ dialect: new PostgresDialect({ pool: postgresPool(databaseUrl, patience) }) });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return new Kysely({ dialect: new Sqlite({ file: join(dataDir, 'vestibule.sqlite'), waitsFor: patience.write_lock_timeout }) });
}

const int8 = 20;

/** How long a database may take, in milliseconds; for PostgreSQL 0 is without limit. */
interface Patience {
  /** While another process, such as the command line, writes to the SQLite file. */
  readonly write_lock_timeout: number;
  readonly statement_timeout: number;
  readonly query_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
}

/** A database that hangs becomes a clear 503 within two seconds, not a waiting browser: the server is asked first, then not waited for. */
const impatient: Patience = { statement_timeout: 1500, query_timeout: 1900, idle_in_transaction_session_timeout: 5000 };
/** For migrations, which may take their time, and wait for another node's. */
export const patient: Patience = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };

/**
 * node-postgres gives an unanswered query up and goes on with the connection, in which a transaction may still be open:
 * what came after it would be answered and never committed. So the connection goes, too.
 */
class AbandonedClient extends pg.Client {
  override query(...given: unknown[]): never {
    const answer: unknown = super.query(...(given as Parameters<pg.Client['query']>));
    if (answer instanceof Promise) {
      answer.catch((error: Error) => {
        if (error.message === 'Query read timeout') this.connection.stream.destroy(error);
      });
    }
    return answer as never;
  }
}

function postgresPool(connectionString: string, patience: Patience): pg.Pool {
  // Our times fit a double exactly until the year 287396, so bigint columns come as numbers.
  const types = {
    getTypeParser: (oid: number, format?: 'text') => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
  };
  const pool = new pg.Pool({
    connectionString,
    types: types as pg.CustomTypesConfig,
    Client: AbandonedClient as typeof pg.Client,
    max: 10,
    connectionTimeoutMillis: 1500,
    ...patience,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Which engine a store speaks to, for the few statements that differ. */
export const engineOf = (store: Kysely<Database>): Engine =>
  store.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
