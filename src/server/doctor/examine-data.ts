import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sql } from 'kysely';
import { isLoopbackHost } from '../../contract/pages.ts';
import { hours, iso, seconds } from '../../contract/units.ts';
import { openKeyEncryption } from '../../security/macs.ts';
import { openPasswords } from '../../security/passwords.ts';
import { countSealed } from '../../store/access/sealed-secrets.ts';
import { recentVisits } from '../../store/accounts/activity-log.ts';
import { listClients } from '../../store/applications/clients.ts';
import { engineOf, openStore, type Store } from '../../store/database.ts';
import { stepsAhead } from '../../store/migrate.ts';
import { missingPartitions } from '../../store/partitions.ts';
import { hostsIn, unencryptedHostIn } from '../../store/postgres/hosts.ts';
import { hasForgetfulPooler, poolerTooOld } from '../../store/postgres/pooler.ts';
import { damageOf, databaseFile, isDamage, openUntouched } from '../../store/sqlite/files.ts';
import { listStoredReceivers } from '../../store/webhooks/stored-receivers.ts';
import { maxClockSkew } from '../../store/wrong-clock.ts';
import { backupNames, newestBackupIn } from '../backups.ts';
import { refuseForeignFiles, refuseInterruptedRestore, whyUnusableFolder } from '../data-folder.ts';
import { checkPepper } from '../keys/keyring.ts';
import { openKeys, openSecrets } from '../keys/stored-keys.ts';
import type { Config } from '../settings/config.ts';
import { readSecret } from '../settings/environment.ts';
import { refuseIncompleteTables, refuseUnusableRole } from './examine-database.ts';
import { checkArrivals, checkBounces, checkOutbox, checkWebhooks } from './examine-deliveries.ts';
import { type CheckResult, counted, type Finding, Problem, readable, runCheck } from './finding.ts';

/** How much of SQLite's file to read. */
export type Depth = 'quick' | 'deep';

/** Bytes that take a few seconds to read; a larger file is read only with --deep. */
const readByItself = 512 * 1024 * 1024;

interface Look {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly depth: Depth | undefined;
}

const ofDatabase = { part: 'database', code: 'database' } as const;

/** Checks the database: integrity, tables, keys, clock and recent data. Changes nothing. */
export async function checkData(config: Config, { now, depth }: Look): Promise<Finding[]> {
  if (!config.DATABASE_URL && !existsSync(databaseFile(config.DATA_DIR))) {
    return [await runCheck(ofDatabase, () => expectFirstStart(config))];
  }
  const isRead = !config.DATABASE_URL && isReadIn(depth, databaseFile(config.DATA_DIR));
  const damaged = isRead ? await runCheck(ofDatabase, () => refuseWhatCannotBeUsed(config)) : undefined;
  if (damaged?.state === 'failed') return [damaged];
  const store = openStore(
    { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL },
    { readOnly: true, timeBudget: responseTimeout },
  );
  try {
    const database = await runCheck(ofDatabase, () => checkDatabase(store, { isRead, config, depth }));
    if (database.state === 'failed') return [database];
    const clock = (isEmpty: boolean) =>
      runCheck({ part: 'clock' }, () => checkClock(store, { now: Date.now(), isEmpty }));
    if (await hasNoTables(store))
      return [database, { part: 'keys', state: 'ok', says: 'the first start creates them' }, await clock(true)];
    const isCurrent = (await stepsAhead(store)) === 0;
    return [
      database,
      await runCheck({ part: 'keys', code: 'keys' }, () => checkKeys(store, config)),
      await clock(false),
      ...(config.DATABASE_URL ? [await runCheck({ part: 'partitions' }, () => checkPartitions(store, now))] : []),
      await runCheck({ part: 'visitors' }, () => checkVisitors(store, config)),
      ...(config.PHONE_CONFIRMATION === 'off'
        ? []
        : [await runCheck({ part: 'calls' }, () => checkArrivals(store, now))]),
      ...(isCurrent ? [await runCheck({ part: 'applications' }, () => checkClients(store))] : []),
      await runCheck({ part: 'outbox' }, () => checkOutbox(store, now)),
      await runCheck({ part: 'bounces' }, () => checkBounces(store, now)),
      // A file or an operator has added receivers.
      ...(config.WEBHOOKS_FILE !== undefined || (isCurrent && (await listStoredReceivers(store)).length > 0)
        ? [await runCheck({ part: 'webhooks' }, () => checkWebhooks(store, { config, now }))]
        : []),
    ];
  } finally {
    await store.destroy();
  }
}

async function checkClients(store: Store): Promise<string> {
  const clients = await listClients(store);
  const without = clients.filter(({ withoutPkce }) => withoutPkce).map(({ name }) => name);
  return `${clients.length}${without.length === 0 ? '' : `; without PKCE: ${without.join(', ')}`}`;
}

/** In milliseconds: a doctor that runs from a timer must end. */
const responseTimeout = seconds(30);

const isReadIn = (depth: Depth | undefined, file: string): boolean =>
  depth === 'deep' || (depth !== 'quick' && statSync(file).size <= readByItself);

function expectFirstStart({ DATA_DIR }: Config): string {
  refuseInterruptedRestore(DATA_DIR);
  const unusable = whyUnusableFolder(DATA_DIR);
  if (unusable !== undefined) throw new Error(`DATA_DIR: ${DATA_DIR} cannot be used: ${unusable}`);
  return `sqlite, the first start creates it in ${DATA_DIR}`;
}

/** Reads every page and index: the only way to detect a failing disk or a file copied while in use. */
function refuseWhatCannotBeUsed(config: Config): string {
  refuseForeignFiles(config);
  const file = databaseFile(config.DATA_DIR);
  const [damage] = damageIn(file);
  if (damage !== undefined) throw new Error(`${file} is damaged, restore a backup: ${damage}`.replaceAll('\n', ' '));
  return 'intact';
}

/** SQLite's words about each damage. Throws for a file that cannot be read now, such as on a full disk. */
function damageIn(file: string): string[] {
  try {
    const database = openUntouched(file);
    const damage = damageOf(database);
    database.close();
    return damage;
  } catch (error) {
    const { message } = error as Error;
    if (isDamage(error)) return [message];
    throw new Error(`${file} cannot be read: ${message}`, { cause: error });
  }
}

async function hasNoTables(store: Store): Promise<boolean> {
  const tables = await store.introspection.getTables();
  return !tables.some(({ name }) => name === 'accounts');
}

async function checkDatabase(
  store: Store,
  { isRead, config, depth }: { readonly isRead: boolean; readonly config: Config; readonly depth: Depth | undefined },
): Promise<CheckResult> {
  const engine = engineOf(store);
  if (config.DATABASE_URL && (await hasForgetfulPooler(hostsIn(config.DATABASE_URL)))) throw new Error(poolerTooOld);
  if (engine === 'postgres') await refuseUnusableRole(store);
  if (await hasNoTables(store)) return `${engine}, empty: the first start creates the tables`;
  const accounts = await countAccounts(store);
  const ahead = await stepsAhead(store);
  if (engine === 'postgres' && ahead === 0 && depth !== 'quick') await refuseIncompleteTables(store);
  const tables = ahead === 0 ? 'tables up to date' : `${ahead} pending migrations, which run at the next start`;
  const wholeness = isRead ? 'intact' : 'not read in full (use --deep)';
  const says = [engine, engine === 'sqlite' ? wholeness : '', tables, accounts].filter(Boolean).join(', ');
  const unencrypted = config.DATABASE_URL && unencryptedHostIn(config.DATABASE_URL);
  return unencrypted === undefined
    ? says
    : new Problem(
        'database_unencrypted',
        { host: unencrypted },
        `${says}; the connection to ${unencrypted} is not encrypted: add sslmode=verify-full to DATABASE_URL, or sslmode=disable if only you can read that network`,
      );
}

/** Counting more takes seconds, and an estimate is enough. */
const countedExactly = 100_000;

async function countAccounts(store: Store): Promise<string> {
  const estimate = engineOf(store) === 'postgres' ? await estimatedAccounts(store) : 0;
  if (estimate > countedExactly) return `about ${estimate} accounts`;
  const { rows } = await sql<{ accounts: number }>`select count(*) as accounts
    from (select id from accounts limit ${countedExactly + 1}) as counted`.execute(store);
  const accounts = Number(rows[0]?.accounts ?? 0);
  return accounts > countedExactly ? `more than ${countedExactly} accounts` : counted(accounts, 'account');
}

/** The estimate of the last `analyze`, which PostgreSQL runs automatically. */
async function estimatedAccounts(store: Store): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select reltuples::bigint as rows from pg_class where oid = 'accounts'::regclass`.execute(store);
  return Number(rows[0]?.rows ?? 0);
}

async function checkKeys(store: Store, config: Config): Promise<CheckResult> {
  const keys = await openKeys(store, { config, now: Date.now() });
  await checkPepper(store, { secrets: openSecrets(config), passwords: openPasswords(config.PASSWORD_PEPPER) });
  const count = `${keys.filter(({ purpose }) => purpose === 'access_token').length} signing`;
  if (config.DATABASE_URL && !config.SECRET_KEY)
    return new Problem('keys_unsealed', {}, `${count}, stored unsealed: set SECRET_KEY`);
  const secrets = openKeyEncryption(readSecret(config));
  if (config.PREVIOUS_SECRET_KEY) {
    const former = await countSealed(store, (sealed) => !secrets.isCurrent(sealed));
    return former === 0
      ? new Problem(
          'former_key_unused',
          {},
          `${count}, sealed; PREVIOUS_SECRET_KEY seals nothing any more: remove it on every node`,
        )
      : new Problem(
          'keys_reseal',
          {},
          `${count}; PREVIOUS_SECRET_KEY still seals ${counted(former, 'secret')}: run vestibule keys reseal once every node has both`,
        );
  }
  if (!keys.every(({ isCurrent }) => isCurrent))
    return new Problem('keys_reseal', {}, `${count}, some unsealed: run vestibule keys reseal`);
  return `${count}, sealed`;
}

/**
 * Codes and links expire within minutes, so a difference between this clock and the database's matters. An activity ahead of
 * now shows that the clock was wrong: sessions and codes from that time last too long.
 */
async function checkClock(store: Store, { now, isEmpty }: { now: number; isEmpty: boolean }): Promise<CheckResult> {
  const newest = isEmpty
    ? undefined
    : await store.selectFrom('activity').select('at').orderBy('id', 'desc').limit(1).executeTakeFirst();
  if (newest && newest.at > now + maxClockSkew)
    return new Problem(
      'clock',
      {},
      `${iso(now)}, but the newest activity is from ${iso(newest.at)}: the clock was wrong`,
    );
  if (engineOf(store) === 'sqlite') return `${iso(now)}, same clock as the database`;
  // The text of a time depends on the role's DateStyle.
  const { rows } = await sql<{ at: number }>`select (extract(epoch from now()) * 1000)::bigint as at`.execute(store);
  const difference = Math.abs(Date.now() - Number(rows[0]?.at));
  const says = `${iso(now)}, ${Math.round(difference / 1000)} s off the clock of the database`;
  return difference > 5000 ? new Problem('clock', {}, says) : says;
}

/** Rows of a month without a partition are not lost, but the clean-up has to delete them one by one. */
async function checkPartitions(store: Store, now: number): Promise<CheckResult> {
  const missing = await missingPartitions(store, now);
  if (missing.length > 0)
    throw new Problem(
      'partitions',
      { words: missing.join(', ') },
      `${missing.join(', ')} missing: see the log of the clean-up, or run vestibule migrate as the owner of the tables`,
    );
  return 'none is missing';
}

/** Among this many accounts, at least two should come from different addresses. */
const manyPeople = 10;

/** If the proxy does not pass on visitor addresses, all visitors share one rate limit. */
async function checkVisitors(store: Store, { PUBLIC_URL }: Config): Promise<CheckResult> {
  const { ips, accounts } = await recentVisits(store, { limit: 500 });
  const [ip] = ips;
  if (isLoopbackHost(new URL(PUBLIC_URL).hostname) || ips.size > 1 || accounts.size < manyPeople) {
    if (ips.size === 0) return 'none yet';
    return `${counted(accounts.size, 'recent account')}, from ${ips.size} ${ips.size === 1 ? 'address' : 'addresses'}`;
  }
  return new Problem(
    'visitors',
    { ip: ip ?? '' },
    `${accounts.size} recent accounts, all from ${ip}: have the proxy send X-Forwarded-For, and list it in TRUSTED_PROXIES`,
  );
}

export function checkDisk({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): CheckResult {
  let folder = resolve(DATA_DIR);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize, blocks } = statfsSync(folder);
  if (blocks === 0) return `the free space in ${folder} is unknown`;
  const kept = statSync(databaseFile(DATA_DIR), { throwIfNoEntry: false })?.size ?? 0;
  return judgeSpace({ folder, free: bavail * bsize, kept });
}

const megabyte = 2 ** 20;
/** Room for a build's assets and pages, and for SQLite's write-ahead log. */
const least = 32 * megabyte;
const comfortable = 256 * megabyte;

interface Space {
  readonly folder: string;
  /** Bytes. */
  readonly free: number;
  /** Bytes of the database. */
  readonly kept: number;
}

/** Throws if the disk is almost full; warns if the database has no room to double. */
export function judgeSpace({ folder, free, kept }: Space): CheckResult {
  const space = { folder, free: `${Math.floor(free / megabyte)} MB` };
  const says = `${space.free} free in ${folder}`;
  if (free < least) throw new Problem('disk', space, `${says}: on a full disk, every write fails with 503`);
  return free < Math.max(comfortable, kept) ? new Problem('disk', space, says) : says;
}

/** A developer needs none, and PostgreSQL has its own tools. */
export const lacksBackups = ({ NODE_ENV, DATABASE_URL, BACKUP_DIR }: Config): boolean =>
  NODE_ENV === 'production' && !DATABASE_URL && !BACKUP_DIR;

/** Whether the service can write its backups, and how old the newest is. */
export function checkBackups(config: Config, now: number): CheckResult {
  const { BACKUP_DIR = '', BACKUP_EVERY_HOURS, DATA_DIR } = config;
  if (lacksBackups(config))
    return new Problem('backups_unset', {}, 'none: set BACKUP_DIR, or a broken disk loses every account');
  const folder = resolve(BACKUP_DIR);
  const unusable = whyUnusableFolder(folder);
  if (unusable !== undefined)
    throw new Problem(
      'backups_unusable',
      { folder, words: unusable },
      `BACKUP_DIR: ${folder} cannot be used: ${unusable}`,
    );
  const newest = newestBackupIn(folder, backupNames(config));
  if (newest === undefined) {
    const none = `none in ${folder} yet: the service makes one when it starts`;
    // A service that has run since the setting was added has failed, as on a disk that is too small.
    return existsSync(databaseFile(DATA_DIR))
      ? new Problem('backups_late', { folder }, `${none}; if it has started since, search its log for "backup failed"`)
      : none;
  }
  const age = now - newest;
  const says = `the newest in ${folder} is ${readable(age / seconds(1))} old`;
  return age > 2 * hours(BACKUP_EVERY_HOURS) ? new Problem('backups_late', { folder }, says) : says;
}
