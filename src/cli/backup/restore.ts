import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { SettingsError } from '../../contract/settings.ts';
import { iso } from '../../contract/units.ts';
import { openKeyEncryption } from '../../security/macs.ts';
import { lockFolder } from '../../server/data-folder.ts';
import { counted } from '../../server/doctor/finding.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { secretFile, writeSecretTo } from '../../server/settings/environment.ts';
import { waitForDatabase } from '../../server/wait-for-database.ts';
import { columnsOfKeys, otherSealedColumns, replaceSealed } from '../../store/access/sealed-secrets.ts';
import { openStore, type StoreTransaction } from '../../store/database.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { companionsOf, databaseFile, isInUse, openUntouched, restoredFile } from '../../store/sqlite/files.ts';
import {
  type BareCommand,
  checkReason,
  reasonOption,
  recordMaintenance,
  refuseUnreadable,
  UsageError,
} from '../command.ts';
import { type Backup, describeBackup, refuseNewerBackup, syncFolder, unpackBackup } from './backup.ts';

export const restore: BareCommand = {
  usage: 'restore FILE',
  summary:
    'replace the SQLite database and its keys with a backup, while the service is stopped; with DATABASE_URL, fill an empty PostgreSQL database',
  words: 'one file',
  example: 'restore /var/backups/vestibule.backup',
  options: reasonOption,
  async runBare(given) {
    const { environment, positionals, now, folder } = given;
    checkReason(given);
    const config = readConfig(environment);
    const file = resolve(folder, positionals[0] ?? '');
    refuseUnreadable(file);
    const backup = await describeBackup(file, config);
    refuseNewerBackup(file);
    const { DATABASE_URL: databaseUrl } = config;
    const { place, former } = databaseUrl
      ? await intoPostgres(file, { backup, databaseUrl, config })
      : await intoFolder(file, { backup, config, now });
    const made = iso(backup.madeAt);
    const unrecorded = await recordMaintenance(
      { dataDir: config.DATA_DIR, databaseUrl },
      { ...given, action: 'database_restored', subject: `${file}, as of ${made}` },
    );
    const kept = former ? `; the previous data is in ${former}` : '';
    return {
      text: `${place}: ${counted(backup.accounts, 'account')} as of ${made}${kept}${unrecorded}`,
      data: { accounts: backup.accounts, made_at: made, former: former ?? null },
    };
  },
};

interface Restored {
  readonly place: string;
  readonly former?: string | undefined;
}

interface IntoFolder {
  readonly backup: Backup;
  readonly config: Config;
  readonly now: number;
}

async function intoFolder(file: string, { backup, config, now }: IntoFolder): Promise<Restored> {
  const dataDir = resolve(config.DATA_DIR);
  if (isInUse(databaseFile(dataDir)))
    throw new SettingsError(`DATA_DIR: a service is still running on ${dataDir}; stop it first`);
  // Neither a service nor a second restore may begin meanwhile.
  const unlock = lockFolder({ DATA_DIR: dataDir });
  try {
    return { place: dataDir, former: await replaceData(file, { dataDir, secret: backup.secret, now }) };
  } finally {
    unlock();
  }
}

interface Replacement {
  readonly dataDir: string;
  readonly secret: string | undefined;
  readonly now: number;
}

/** Writes everything first, and then only renames: a full disk or a broken-off command leaves the data in place, or aside. */
async function replaceData(file: string, { dataDir, secret, now }: Replacement): Promise<string | undefined> {
  const database = databaseFile(dataDir);
  const restored = restoredFile(database);
  const secretRestored = restoredFile(secretFile(dataDir));
  await unpackBackup(file, restored);
  chmodSync(restored, 0o600);
  if (secret !== undefined) writeSecretTo(secretRestored, secret);
  const former = setAside(dataDir, { withSecret: secret !== undefined, at: now });
  if (secret !== undefined) renameSync(secretRestored, secretFile(dataDir));
  // Last: until then, the service refuses to start.
  renameSync(restored, database);
  syncFolder(dataDir);
  return former;
}

interface IntoPostgres {
  readonly backup: Backup;
  readonly databaseUrl: string;
  readonly config: Config;
}

/** Migrates the backup in a temporary folder first, because it may be older. */
async function intoPostgres(file: string, { backup, databaseUrl, config }: IntoPostgres): Promise<Restored> {
  makeFolder(config.DATA_DIR);
  const dataDir = mkdtempSync(join(config.DATA_DIR, 'restored-'));
  try {
    await unpackBackup(file, databaseFile(dataDir));
    await waitForDatabase({ dataDir });
    await waitForDatabase({ dataDir, databaseUrl });
    const secrets = { former: backup.secret ?? config.SECRET_KEY, next: config.SECRET_KEY };
    await fillPostgres({ file: databaseFile(dataDir), databaseUrl, secrets });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return { place: 'PostgreSQL' };
}

/** Moves the replaced files to a new folder, so that an operator who chose the wrong backup can go back. */
function setAside(dataDir: string, { withSecret, at }: { withSecret: boolean; at: number }): string | undefined {
  const database = databaseFile(dataDir);
  const secret = withSecret ? [secretFile(dataDir)] : [];
  // A journal that stayed would be played back into the restored database.
  const replaced = [database, `${database}-journal`, ...companionsOf(database), ...secret].filter(existsSync);
  if (replaced.length === 0) return undefined;
  const folder = join(dataDir, `before-restore-${iso(at).replaceAll(/[:.]/g, '-')}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const file of replaced) renameSync(file, join(folder, basename(file)));
  return folder;
}

interface Filling {
  /** A fully migrated SQLite database that no process writes. */
  readonly file: string;
  readonly databaseUrl: string;
  /** The secret that seals the keys in the file, and the one that will seal them. */
  readonly secrets: { readonly former: string | undefined; readonly next: string | undefined };
}

/**
 * Copies everything in a SQLite database to a fully migrated PostgreSQL without accounts, in one transaction. Throws a
 * `UsageError` if there are accounts.
 */
async function fillPostgres({ file, databaseUrl, secrets }: Filling): Promise<void> {
  await using store = openStore({ dataDir: '', databaseUrl }, { timeBudget: Number.POSITIVE_INFINITY });
  using source = openUntouched(file);
  await store.transaction().execute(async (trx) => {
    const tables = parentsFirst(source);
    // Also removes keys and counts of a node that ran here before; a running node waits until the copy is done.
    await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in access exclusive mode`.execute(trx);
    if (await trx.selectFrom('accounts').select('id').limit(1).executeTakeFirst())
      throw new UsageError('DATABASE_URL: this database already contains accounts; restore into an empty one');
    await sql`alter table audit_log disable trigger audit_log_whole`.execute(trx);
    await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(trx);
    await sql`alter table audit_log enable trigger audit_log_whole`.execute(trx);
    for (const table of tables) await copyTable(table, { source, trx });
    await resealAll(trx, secrets);
  });
  // Without it, the first queries are planned as if the tables were empty.
  await sql`analyze`.execute(store);
}

/** The tables of the service, each after those that it references; without those that record migrations. */
function parentsFirst(source: DatabaseSync): string[] {
  const named = source
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all();
  const tables = named.map(({ name }) => String(name)).filter((name) => !marks.has(name));
  const references = source.prepare('select "table" as parent from pragma_foreign_key_list(?)');
  const depth = (table: string): number =>
    Math.max(0, ...references.all(table).map(({ parent }) => 1 + depth(String(parent))));
  return tables.toSorted((one, other) => depth(one) - depth(other));
}

const marks: ReadonlySet<string> = new Set(['kysely_migration', 'oldest_code']);

const batchSize = 1000;

async function copyTable(
  table: string,
  { source, trx }: { source: DatabaseSync; trx: StoreTransaction },
): Promise<void> {
  let batch: unknown[] = [];
  for (const row of source.prepare(`select * from "${table}"`).iterate()) {
    if (batch.push(row) < batchSize) continue;
    await insert(batch, { table, trx });
    batch = [];
  }
  await insert(batch, { table, trx });
}

/** Inserts by column name: columns that were added later may be in another order. */
async function insert(
  rows: readonly unknown[],
  { table, trx }: { table: string; trx: StoreTransaction },
): Promise<void> {
  const into = sql.table(table);
  await sql`insert into ${into} select * from json_populate_recordset(null::${into}, ${JSON.stringify(rows)})`.execute(
    trx,
  );
}

async function resealAll(trx: StoreTransaction, { former, next }: Filling['secrets']): Promise<void> {
  const [was, becomes] = [openKeyEncryption(former), openKeyEncryption(next)];
  const again = (sealed: string) => becomes.seal(was.open(sealed));
  await replaceSealed(trx, [...columnsOfKeys, ...otherSealedColumns], again);
}
