import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { SettingsError } from '../contract/settings.ts';
import { type DatabaseSettings, engineOf, openStore, type Store, type StoreTransaction } from './database.ts';
import * as baseline from './migrations/0001-baseline.ts';
import * as auditLog from './migrations/0002-audit-log.ts';
import { cannotLock, isLockRefusal, limitLockWaits, lockTries, pauseBetweenTries } from './postgres/brief-locks.ts';

export interface Migration {
  /** Runs in a transaction. On PostgreSQL it neither reads nor changes the rows of a table that can be large. */
  up?(db: Kysely<any>): Promise<void>;
  /**
   * Runs after `up`; on PostgreSQL outside a transaction, while nodes work (`migrations/online.ts`). After an
   * interruption it runs again from its beginning.
   */
  upOnline?(db: Kysely<any>): Promise<void>;
  /** Versions that know this migration keep working after the new one. */
  readonly oldestCode: string;
}

type Migrations = Readonly<Record<string, Migration>>;

/** Run in the order of their names, forward only: never change one that databases already have. */
export const migrations: Migrations = { '0001-baseline': baseline, '0002-audit-log': auditLog };

/** Whether code with these migrations may use a database that requires one that is called `floor`. */
export const mayUse = (floor: string, steps = migrations): boolean => floor <= newestOf(steps);

const newestOf = (steps: Migrations): string => Object.keys(steps).toSorted().at(-1) ?? '';

/** How often (ms) we check whether another node has finished migrating. */
const turnPoll = 200;

/**
 * Migrates a database to the current tables, over separate connections. Nodes that start together wait for the one that
 * migrates. Accepts tables of a newer version if their `oldestCode` permits this one. Returns how many steps it took.
 * Throws a SettingsError if the tables are too new, or if another session keeps a table locked.
 */
export async function migrate(
  database: DatabaseSettings,
  { steps = migrations, tries = lockTries }: { steps?: Migrations; tries?: number } = {},
): Promise<number> {
  await using store = openStore(database, { timeBudget: Number.POSITIVE_INFINITY });
  let [done, refused] = [0, 0];
  // Without work, a role that may only change data is enough.
  if ((await stepsAhead(store, steps)) === 0) return 0;
  for (;;) {
    const outcome = await takeStep(store, steps).catch(asRefusal);
    if (outcome === 'none left') return done;
    if (outcome === 'locked') refused += 1;
    if (outcome === 'done') [done, refused] = [done + 1, 0];
    if (refused === tries) throw new SettingsError(cannotLock('a migration'));
    if (outcome === 'busy') await pause(turnPoll);
    if (outcome === 'locked') await pause(pauseBetweenTries);
  }
}

function asRefusal(error: unknown): 'locked' {
  if (isLockRefusal(error)) return 'locked';
  throw error;
}

/**
 * How many migrations this version would run. Changes nothing; throws if this version cannot work with the database.
 */
export async function stepsAhead(store: Store, steps = migrations): Promise<number> {
  const tables = await store.introspection.getTables({ withInternalKyselyTables: true });
  const has = (table: string) => tables.some(({ name }) => name === table);
  const { done, floor } = has('oldest_code') ? await readMarks(store) : { done: new Set<string>(), floor: '' };
  if (done.has(endOfPreview)) return 1;
  if (!hasBegun(steps, done)) refuseUnrecorded(store, has('accounts'));
  refuseOlderCode({ store, floor, steps });
  return Object.keys(steps).filter((step) => !done.has(step)).length;
}

/**
 * Runs one migration and records it: in one transaction, so that the next node can start from there if this one is
 * killed. The parts of a migration with `upOnline` are recorded one by one.
 */
function takeStep(store: Store, steps: Migrations): Promise<'done' | 'half done' | 'none left' | 'busy' | 'locked'> {
  return store.transaction().execute(async (trx) => {
    if (!(await takeTurn(trx))) return 'busy';
    await makeMarks(trx);
    const { done, floor } = await readMarks(trx);
    if (done.has(endOfPreview)) return takeOverPreview(trx);
    refuseOlderCode({ store: trx, floor, steps });
    if (!hasBegun(steps, done)) {
      const tables = await trx.introspection.getTables();
      refuseUnrecorded(
        trx,
        tables.some(({ name }) => name === 'accounts'),
      );
      await refuseEncoding(trx);
    }
    const name = Object.keys(steps)
      .sort()
      .find((step) => !done.has(step));
    const step = name && steps[name];
    if (!step) return 'none left';
    if (!done.has(halfOf(name))) await step.up?.(trx);
    if (step.upOnline && engineOf(trx) === 'postgres' && !done.has(halfOf(name))) {
      await markHalf(trx, name);
      return 'half done';
    }
    // This transaction holds the turn meanwhile, without a snapshot that `create index concurrently` would wait for.
    await step.upOnline?.(engineOf(trx) === 'postgres' ? store : trx);
    await mark(trx, name, step.oldestCode);
    return 'done';
  });
}

/** The last of the migrations before the first release, which one baseline has replaced. */
const endOfPreview = '0033-added-by';

/** Gives a database of these days the tables and marks of the baseline. Goes with the first release. */
async function takeOverPreview(trx: StoreTransaction): Promise<'done'> {
  for (const statement of [
    'alter table operator_jobs add column stopped text',
    'alter table webhook_receivers add column doubted_by text',
    'alter table clients add column doubted_by text',
    'alter table clients add column doubted_at bigint',
    'create index audit_log_actor on audit_log (actor, at)',
    'create index audit_log_actor_kind on audit_log (actor_kind, id)',
    'drop index audit_log_unlinked',
    ...['alarm_overrides', 'alarm_tag_rules', 'alarm_rules'].map((table) => `drop table ${table}`),
    'delete from kysely_migration',
    'delete from oldest_code',
  ])
    await sql.raw(statement).execute(trx);
  await mark(trx, '0001-baseline', baseline.oldestCode);
  return 'done';
}

const hasBegun = (steps: Migrations, done: ReadonlySet<string>) => Object.keys(steps).some((step) => done.has(step));

/** The first step would only say that its table exists. */
function refuseUnrecorded(store: Store, hasAccounts: boolean): void {
  if (!hasAccounts) return;
  throw new SettingsError(
    `${settingOf(store)}: the database has a table accounts, but no record of migrations, as after an incomplete restore or from before the first release: restore the whole dump or backup into an empty database`,
  );
}

const settingOf = (store: Store) => (engineOf(store) === 'postgres' ? 'DATABASE_URL' : 'DATA_DIR');

/** In another encoding, a name in most of the world's scripts would be an error at its registration. */
async function refuseEncoding(trx: StoreTransaction): Promise<void> {
  if (engineOf(trx) === 'sqlite') return;
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(trx);
  const encoding = rows[0]?.encoding ?? 'UTF8';
  if (encoding !== 'UTF8') throw new SettingsError(`DATABASE_URL: ${needsUtf8(encoding)}`);
}

/** For a database that PostgreSQL created in another encoding. */
export const needsUtf8 = (encoding: string): string =>
  `the database is in ${encoding}: create it with createdb --encoding=UTF8 --template=template0`;

/** The advisory lock of Kysely's migrator. */
const turn = '3853314791062309107';

/**
 * False while another node migrates. A statement that waits for the turn would have a snapshot, and the other node's
 * `create index concurrently` would wait for it. In SQLite, a write transaction is exclusive from its beginning.
 */
async function takeTurn(trx: StoreTransaction): Promise<boolean> {
  if (engineOf(trx) === 'sqlite') return true;
  await limitLockWaits(trx);
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(turn)}::bigint) as taken`.execute(trx);
  return rows[0]?.taken ?? false;
}

function refuseOlderCode({ store, floor, steps }: { store: Store; floor: string; steps: Migrations }): void {
  if (mayUse(floor, steps)) return;
  throw new SettingsError(
    `${settingOf(store)}: a newer version has migrated this database, which now requires a version that knows "${floor}"; this version only knows migrations up to "${newestOf(steps)}": start the newer version, or restore a backup from before the update`,
  );
}

/** Creates the table of Kysely's migrator, and the one for the oldest code that may run. */
async function makeMarks(trx: StoreTransaction): Promise<void> {
  await sql`create table if not exists kysely_migration
    (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(trx);
  await sql`create table if not exists oldest_code (migration varchar(255) not null primary key)`.execute(trx);
}

interface Marks {
  /** The migrations that are complete, and the first half (`halfOf`) of one that is not. */
  readonly done: ReadonlySet<string>;
  /** The migration that code must know to use this database; empty if any code may. */
  readonly floor: string;
}

export async function readMarks(store: Store): Promise<Marks> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(store);
  const floors = await sql<{ floor: string | null }>`select max(migration) as floor from oldest_code`.execute(store);
  return { done: new Set(rows.map(({ name }) => name)), floor: floors.rows[0]?.floor ?? '' };
}

/** The record of a migration whose `up` is done and whose `upOnline` is not. */
const halfOf = (name: string): string => `${name}: up`;

const markHalf = (trx: StoreTransaction, name: string): Promise<void> => insertMark(trx, halfOf(name));

/** Records a complete migration, and the oldest code that may run after it. */
async function mark(trx: StoreTransaction, name: string, oldestCode: string): Promise<void> {
  await insertMark(trx, name);
  await sql`delete from kysely_migration where name = ${halfOf(name)}`.execute(trx);
  await sql`insert into oldest_code (migration) values (${oldestCode}) on conflict do nothing`.execute(trx);
}

async function insertMark(trx: StoreTransaction, name: string): Promise<void> {
  const at = new Date().toISOString();
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${at})`.execute(trx);
}
