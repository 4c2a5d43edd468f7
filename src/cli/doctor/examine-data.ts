import { existsSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import { seconds } from '../../contract/durations.ts';
import { isLoopbackHost } from '../../contract/loopback.ts';
import type { Config } from '../../server/config.ts';
import { refuseForeignFiles, whyUnusableFolder } from '../../server/data-folder.ts';
import { openKeys } from '../../server/keys/keyring.ts';
import { recentVisits } from '../../store/accounts/activity-log.ts';
import { engineOf, openStore, type Store } from '../../store/database.ts';
import { stepsAhead } from '../../store/migrate.ts';
import { damageOf, databaseFile, openUntouched } from '../../store/sqlite/files.ts';
import { examineArrivals } from '../calls.ts';
import { examineBounces } from './examine-bounces.ts';
import { examineOutbox } from './examine-mail.ts';
import { type CheckResult, type Finding, runCheck } from './finding.ts';

/** How much of SQLite's file is read. */
export type Depth = 'quick' | 'deep';

/** Bytes that are read in a few seconds; a larger file only where that is asked for. */
const readByItself = 512 * 1024 * 1024;

interface Look {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly depth: Depth | undefined;
}

/** What the database holds, and whether it is whole. Changes nothing of it. */
export async function examineData(config: Config, { now, depth }: Look): Promise<Finding[]> {
  if (!config.DATABASE_URL && !existsSync(databaseFile(config.DATA_DIR))) {
    return [await runCheck('database', () => expectFirstStart(config))];
  }
  const isRead = !config.DATABASE_URL && isReadIn(depth, databaseFile(config.DATA_DIR));
  const damaged = isRead ? await runCheck('database', () => refuseWhatCannotBeUsed(config)) : undefined;
  if (damaged?.state === 'failed') return [damaged];
  const store = openStore(
    { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL },
    { readOnly: true, waitsFor: answersWithin },
  );
  try {
    const database = await runCheck('database', () => examineDatabase(store, isRead));
    if (database.state === 'failed') return [database];
    const isEmpty = await hasNoTables(store);
    return [
      database,
      isEmpty
        ? { part: 'keys', state: 'ok', says: 'the first start makes them' }
        : await runCheck('keys', () => examineKeys(store, config)),
      await runCheck('clock', () => examineClock(store)),
      ...(isEmpty ? [] : [await runCheck('visitors', () => examineVisitors(store, config))]),
      ...(isEmpty || config.PHONE_CONFIRMATION === 'off'
        ? []
        : [await runCheck('calls', () => examineArrivals(store, now))]),
      ...(isEmpty ? [] : [await runCheck('outbox', () => examineOutbox(store, now))]),
      ...(isEmpty ? [] : [await runCheck('returned mail', () => examineBounces(store, now))]),
    ];
  } finally {
    await store.destroy();
  }
}

/** Milliseconds: a doctor that runs from a timer must end. */
const answersWithin = seconds(30);

const isReadIn = (depth: Depth | undefined, file: string): boolean =>
  depth === 'deep' || (depth !== 'quick' && statSync(file).size <= readByItself);

function expectFirstStart({ DATA_DIR }: Config): string {
  const unusable = whyUnusableFolder(DATA_DIR);
  if (unusable !== undefined) throw new Error(`DATA_DIR: ${DATA_DIR} cannot be used: ${unusable}`);
  return `sqlite, the first start makes it in ${DATA_DIR}`;
}

/** Reads every page and every index; a copy of a file in use, or a dying disk, shows only so. */
function refuseWhatCannotBeUsed(config: Config): string {
  refuseForeignFiles(config);
  const file = databaseFile(config.DATA_DIR);
  let damage: string[];
  try {
    const database = openUntouched(file);
    damage = damageOf(database);
    database.close();
  } catch (error) {
    damage = [(error as Error).message];
  }
  if (damage.length > 0) throw new Error(`${file} is damaged, restore a backup: ${damage[0]}`.replaceAll('\n', ' '));
  return 'whole';
}

async function hasNoTables(store: Store): Promise<boolean> {
  const tables = await store.introspection.getTables();
  return !tables.some(({ name }) => name === 'accounts');
}

async function examineDatabase(store: Store, isRead: boolean): Promise<CheckResult> {
  const engine = engineOf(store);
  if (await hasNoTables(store)) return `${engine}, empty: the first start makes the tables`;
  const accounts = await countAccounts(store);
  const ahead = await stepsAhead(store);
  const tables = ahead === 0 ? 'tables up to date' : `${ahead} migrations to come at the next start`;
  const wholeness = isRead ? 'whole' : 'not read in full (--deep does)';
  return [engine, engine === 'sqlite' ? wholeness : '', tables, accounts].filter(Boolean).join(', ');
}

/** Above this, to count takes seconds, and an estimate serves as well. */
const countedExactly = 100_000;

async function countAccounts(store: Store): Promise<string> {
  const estimate = engineOf(store) === 'postgres' ? await estimatedAccounts(store) : 0;
  if (estimate > countedExactly) return `about ${estimate} accounts`;
  const { rows } = await sql<{ accounts: number }>`select count(*) as accounts
    from (select id from accounts limit ${countedExactly + 1}) as counted`.execute(store);
  const accounts = Number(rows[0]?.accounts ?? 0);
  return accounts > countedExactly ? `more than ${countedExactly} accounts` : `${accounts} accounts`;
}

/** As of the last `analyze`, which PostgreSQL does by itself. */
async function estimatedAccounts(store: Store): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select reltuples::bigint as rows from pg_class where oid = 'accounts'::regclass`.execute(store);
  return Number(rows[0]?.rows ?? 0);
}

async function examineKeys(store: Store, config: Config): Promise<CheckResult> {
  const keys = await openKeys(store, { config, now: Date.now() });
  const count = `${keys.filter(({ purpose }) => purpose === 'access_token').length} signing`;
  if (config.DATABASE_URL && !config.SECRET_KEY) return { warning: `${count}, kept unsealed: set SECRET_KEY` };
  return `${count}, sealed`;
}

/** Codes and links live for minutes, so a clock that differs from the database's is felt. */
async function examineClock(store: Store): Promise<CheckResult> {
  if (engineOf(store) === 'sqlite') return `${new Date().toISOString()}, the database has the same`;
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(store);
  const difference = Math.abs(Date.now() - new Date(rows[0]?.at ?? 0).getTime());
  const says = `${new Date().toISOString()}, ${Math.round(difference / 1000)} s from the database's`;
  return difference > 5000 ? { warning: says } : says;
}

/** Of so many people, two would come from different addresses. */
const manyPeople = 10;

/** A proxy that does not say for whom it asks makes everybody one visitor, and limits for one then hold for all. */
async function examineVisitors(store: Store, { PUBLIC_URL }: Config): Promise<CheckResult> {
  const { ips, accounts } = await recentVisits(store, { limit: 500 });
  const [ip] = ips;
  if (isLoopbackHost(new URL(PUBLIC_URL).hostname) || ips.size > 1 || accounts.size < manyPeople) {
    return ips.size === 0 ? 'nobody yet' : `${accounts.size} accounts lately, from ${ips.size} addresses`;
  }
  return {
    warning: `${accounts.size} accounts lately, all from ${ip}: let the proxy send X-Forwarded-For, and name it in TRUSTED_PROXIES`,
  };
}
