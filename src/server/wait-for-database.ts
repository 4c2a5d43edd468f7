import { SettingsError } from '../contract/settings.ts';
import type { DatabaseSettings } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { openProbe } from '../store/postgres/abandoned.ts';
import { hostsIn } from '../store/postgres/hosts.ts';
import { hasForgetfulPooler, isLostStatement, poolerTooOld } from '../store/postgres/pooler.ts';
import { databaseFile, openUntouched, readEnds } from '../store/sqlite/files.ts';
import { refuseInterruptedRestore, unchangeableDatabase } from './data-folder.ts';

/**
 * Migrates the database, and returns the number of migrations. Throws a `SettingsError` if it is unreachable or
 * unusable.
 */
export async function waitForDatabase(database: DatabaseSettings): Promise<number> {
  if (!database.databaseUrl) refuseInterruptedRestore(database.dataDir);
  try {
    const done = await migrate(database);
    if (database.databaseUrl && (await hasForgetfulPooler(hostsIn(database.databaseUrl))))
      throw new SettingsError(forgetful);
    if (!database.databaseUrl) expectReadable(databaseFile(database.dataDir));
    return done;
  } catch (cause) {
    const { code = '', errcode = 0, message } = cause as Error & { code?: string; errcode?: number };
    if (database.databaseUrl && isLostStatement(code)) throw new SettingsError(forgetful, { cause });
    const { databaseUrl: url } = database;
    if (url && (isNotReached(code) || (code === '' && (await cannotConnect(url)))))
      throw new SettingsError(await whyNot(hostsIn(url), message || code), { cause });
    if (!database.databaseUrl && (isSystemFault.test(code) || unusableFileErrors.includes(errcode & 0xff)))
      throw new SettingsError(unusableFile(databaseFile(database.dataDir), message), { cause });
    throw cause;
  }
}

/** Throws SQLite's error if a page that almost every statement reads is damaged. */
function expectReadable(file: string): void {
  using opened = openUntouched(file);
  readEnds(opened);
}

/** Lists the problem of each host: with several hosts, the last error alone would mislead. */
async function whyNot(hosts: readonly string[], message: string): Promise<string> {
  if (hosts.length === 1) return `DATABASE_URL: PostgreSQL cannot be used: ${inOperatorsWords(message)}`;
  const problems = await Promise.all(hosts.map(async (url) => `${new URL(url).host}: ${await problemOf(url)}`));
  return `DATABASE_URL: none of the PostgreSQL hosts can be used: ${problems.join('; ')}`;
}

/** node-postgres gives no code to its own errors, such as for a server without TLS. */
async function cannotConnect(url: string): Promise<boolean> {
  const problems = await Promise.all(hostsIn(url).map(problemOf));
  return !problems.includes(usable);
}

const usable = 'responds, but is not usable as the primary';

async function problemOf(url: string): Promise<string> {
  const client = openProbe(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    return rows[0]?.standby ? 'is a standby' : usable;
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return inOperatorsWords(message) || code || 'does not respond';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Node advises an option of its own, which the operator cannot give; node-postgres does not say what expired. */
const inOperatorsWords = (message: string): string =>
  message
    .replace(/; if the root CA is installed locally, .*/, '; set NODE_EXTRA_CA_CERTS to the file of its authority')
    .replace(/^getaddrinfo (\S+) (\S+)$/, 'the address of $2 cannot be looked up ($1)')
    .replace(/^timeout expired$/, 'it accepts connections, but does not respond');

/** For a file that belongs to root, SQLite itself reports only "unable to open". */
const unusableFile = (file: string, message: string): string =>
  `DATA_DIR: ${unchangeableDatabase(file) ?? `${file} cannot be used: ${message}`}`;

const forgetful = `DATABASE_URL: ${poolerTooOld}`;

const isSystemFault = /^E[A-Z]+$/;
/**
 * Errors that the system, DNS or OpenSSL names, unlike Node's own (`ERR_…`) except those about TLS; and by SQLSTATE: connection, outdated primary or standby, authorization, unknown database, no
 * schema, a lost prepared statement, missing rights, insufficient resources, a time limit of the role, shut down by an administrator.
 */
export const isNotReached = (code: string): boolean =>
  /^(?:(?!ERR_)[A-Z]+(?:_[A-Z]+)*|ERR_(?:TLS|SSL|OSSL)_\w+|08...|25006|28...|3D...|3F...|26000|42P05|42501|53...|57...)$/.test(
    code,
  );
/** Read-only, I/O error, corrupt, full, cannot open, not a database (https://sqlite.org/rescode.html). */
const unusableFileErrors = [8, 10, 11, 13, 14, 26];
