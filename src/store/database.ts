import { randomUUID } from 'node:crypto';
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
// biome-ignore lint/suspicious/noEmptyInterface: each table's file extends it with `declare module`
export interface Database {}

export type Store = Kysely<Database>;
export type StoreTransaction = Transaction<Database>;
export type Engine = 'sqlite' | 'postgres';

export interface DatabaseSettings {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  /** Maximum number of connections to PostgreSQL. */
  readonly poolSize?: number | undefined;
}

interface Options {
  /** How long a statement or transaction may take, in milliseconds; may be infinite. */
  readonly timeBudget?: number;
  /** The store cannot change anything, neither in the database nor in its folder. */
  readonly readOnly?: boolean;
  /** Called after every statement, successful or failed. */
  readonly onStatement?: ((statement: Statement) => void) | undefined;
  /** Called once for each server that accepts writes although another one was promoted after it. */
  readonly onOutdated?: ((outdated: OutdatedPrimary) => void) | undefined;
  /** Called with SQLite's words when the first statement meets a damaged page. */
  readonly onDamage?: ((says: string) => void) | undefined;
}

export interface Statement {
  readonly engine: Engine;
  /** The statement's text, without its values. */
  readonly sql: string;
  readonly milliseconds: number;
  readonly failed: boolean;
  readonly error?: unknown;
}

/**
 * Connects to PostgreSQL if there is a URL, otherwise opens the SQLite file in the data folder; creates both if
 * missing.
 */
export function openStore(
  { dataDir, databaseUrl: url, poolSize: size = 10 }: DatabaseSettings,
  {
    timeBudget = databaseBudget,
    readOnly = false,
    onStatement,
    onOutdated: report = () => undefined,
    onDamage: reportDamage = () => undefined,
  }: Options = {},
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
    const pool = openPools({ url, size, timeBudget, readOnly, check: known.check });
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
  const onDamage = (says: string) => {
    if (!damages.has(store)) reportDamage(says);
    damages.set(store, says);
  };
  const dialect = new Sqlite({ file: databaseFile(dataDir), timeBudget, readOnly, onDamage });
  const store: Store = new Kysely({ dialect, ...listen });
  return store;
}

const damages = new WeakMap<Store, string>();

/** SQLite's words about a damaged page that a statement met; undefined while all pages were intact. */
export const damageMetBy = (store: Store): string | undefined => damages.get(store);

const pools = new WeakMap<Store, Pool>();

const timelines = new WeakMap<Store, Timelines>();

/** Servers of this database that accept writes although another one was promoted after them. */
export const outdatedPrimariesOf = (store: Store): readonly OutdatedPrimary[] => timelines.get(store)?.outdated() ?? [];

/** The state of the connections to PostgreSQL; undefined with SQLite. */
export const connectionsOf = (store: Store) => pools.get(store)?.state();

/** Repeats transactions that PostgreSQL aborts due to a conflict, so their side effects must tolerate repetition. */
class RetryingStore extends Kysely<Database> {
  override transaction() {
    const builder = super.transaction();
    const once = builder.execute.bind(builder);
    builder.execute = (work) => retryOnConflict(() => once(work));
    return builder;
  }
}

/** The engine of a store, for the few statements that differ. */
export const engineOf = (store: Kysely<Database>): Engine =>
  store.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';

/** Whether a statement returns a row: a change with `returning` does for exactly one of several parallel callers. */
export const hasRow = async (statement: { executeTakeFirst(): Promise<object | undefined> }): Promise<boolean> =>
  (await statement.executeTakeFirst()) !== undefined;

/**
 * Works on each item, even if the work fails for others: an account that causes an error must not stop the service for
 * all. Throws the first error at the end.
 */
export async function eachApart<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

let newest = { at: 0, count: 0 };
const maxIdsPerMillisecond = 0xfff;

/** A UUID that sorts before every id of `time` and after all earlier ones. */
export function firstIdOf(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * A UUID version 7 that is greater than all earlier ones of this process; Node's are in random order within a
 * millisecond. The 12 bits after the time are a counter (RFC 9562, section 6.2, method 1), which continues if the clock
 * is set back.
 */
export function orderedId(now: number = Date.now()): string {
  newest = now > newest.at ? { at: now, count: 0 } : { at: newest.at, count: newest.count + 1 };
  if (newest.count > maxIdsPerMillisecond) newest = { at: newest.at + 1, count: 0 };
  const time = newest.at.toString(16).padStart(12, '0');
  const count = newest.count.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`;
}
