import { Kysely, type LogEvent, PostgresAdapter, PostgresDialect, type Transaction } from 'kysely';
import { makeFolder } from './make-folder.ts';
import { hostsIn, openPools } from './postgres/hosts.ts';
import type { Pool } from './postgres/pool.ts';
import { type OutdatedPrimary, openTimelines, type Timelines } from './postgres/timeline.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { Sqlite } from './sqlite/dialect.ts';
import { databaseFile } from './sqlite/files.ts';
import { databaseBudget } from './time-budget.ts';

/** Every table: each declares itself in its own file. Times are milliseconds since the epoch, in UTC. */
// biome-ignore lint/suspicious/noEmptyInterface: the files of the tables add to it, as `declare module` lets them
export interface Database {}

export type Store = Kysely<Database>;
export type StoreTransaction = Transaction<Database>;
export type Engine = 'sqlite' | 'postgres';

export interface DatabaseSettings {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  /** Connections to PostgreSQL at once. */
  readonly poolSize?: number | undefined;
}

interface Options {
  /** Milliseconds for which a statement or a transaction may keep its caller waiting; may be infinite. */
  readonly waitsFor?: number;
  /** Nothing can be changed by it, neither in the database nor in its folder. */
  readonly readOnly?: boolean;
  /** Told of every statement that was answered, or not. */
  readonly onStatement?: ((statement: Statement) => void) | undefined;
  /** Called once for each server that takes changes although another one was promoted after it. */
  readonly onOutdated?: ((outdated: OutdatedPrimary) => void) | undefined;
}

export interface Statement {
  readonly engine: Engine;
  /** Without its values. */
  readonly sql: string;
  readonly milliseconds: number;
  readonly failed: boolean;
  readonly error?: unknown;
}

/** Connects to PostgreSQL when there is a URL, else opens the SQLite file in the data folder, making both if needed. */
export function openStore(
  { dataDir, databaseUrl: url, poolSize: size = 10 }: DatabaseSettings,
  { waitsFor = databaseBudget, readOnly = false, onStatement, onOutdated: report = () => undefined }: Options = {},
): Store {
  const listen = onStatement && {
    log: (event: LogEvent) =>
      onStatement({
        engine: url ? 'postgres' : 'sqlite',
        sql: event.query.sql,
        milliseconds: event.queryDurationMillis,
        failed: event.level === 'error',
        ...(event.level === 'error' && { error: event.error }),
      }),
  };
  if (url) {
    const known = openTimelines({ hosts: hostsIn(url), dataDir, readOnly, report });
    const pool = openPools({ url, size, waitsFor, readOnly, examine: known.examine });
    const end = pool.end.bind(pool);
    pool.end = () => {
      known.stop();
      return end();
    };
    const store = new RetryingStore({ dialect: new PostgresDialect({ pool }), ...listen });
    pools.set(store, pool);
    timelines.set(store, known);
    return store;
  }
  if (!readOnly) makeFolder(dataDir);
  return new Kysely({ dialect: new Sqlite({ file: databaseFile(dataDir), waitsFor, readOnly }), ...listen });
}

const pools = new WeakMap<Store, Pool>();

const timelines = new WeakMap<Store, Timelines>();

/** Servers of this database that take changes although another one was promoted after them. */
export const outdatedPrimariesOf = (store: Store): readonly OutdatedPrimary[] => timelines.get(store)?.outdated() ?? [];

/** The connections to PostgreSQL; undefined with SQLite, which has none. */
export const connectionsOf = (store: Store) => pools.get(store)?.state();

/** Does a transaction again that PostgreSQL undid for others' sake, so what it does outside the database must be able to bear that. */
class RetryingStore extends Kysely<Database> {
  override transaction() {
    const builder = super.transaction();
    const once = builder.execute.bind(builder);
    builder.execute = (work) => retryOnConflict(() => once(work));
    return builder;
  }
}

/** Which engine a store speaks to, for the few statements that differ. */
export const engineOf = (store: Kysely<Database>): Engine =>
  store.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
