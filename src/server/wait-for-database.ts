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
    if (database.databaseUrl && isNotReached(code))
      throw new SettingsError(await whyNot(hostsIn(database.databaseUrl), message || code), { cause });
    if (!database.databaseUrl && (isSystemFault.test(code) || unusable.includes(errcode & 0xff)))
      throw new SettingsError(unusableFile(databaseFile(database.dataDir), message), { cause });
    throw cause;
  }
}

/** Throws SQLite's error if a page that almost every statement reads is damaged. */
function expectReadable(file: string): void {
  const opened = openUntouched(file);
  try {
    readEnds(opened);
  } finally {
    opened.close();
  }
}

/** Lists the problem of each host: with several hosts, the last error alone would mislead. */
async function whyNot(hosts: readonly string[], message: string): Promise<string> {
  if (hosts.length === 1) return `DATABASE_URL: PostgreSQL cannot be used: ${inOperatorsWords(message)}`;
  const problems = await Promise.all(hosts.map(async (url) => `${new URL(url).host}: ${await problemOf(url)}`));
  return `DATABASE_URL: none of the PostgreSQL hosts can be used: ${problems.join('; ')}`;
}

async function problemOf(url: string): Promise<string> {
  const client = openProbe(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    return rows[0]?.standby ? 'is a standby' : 'responds, but is not usable as the primary';
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
    .replace(/^timeout expired$/, 'it accepts connections, but does not respond');

/** For a file that belongs to root, SQLite itself reports only "unable to open". */
const unusableFile = (file: string, message: string): string =>
  `DATA_DIR: ${unchangeableDatabase(file) ?? `${file} cannot be used: ${message}`}`;

const forgetful = `DATABASE_URL: ${poolerTooOld}`;

const isSystemFault = /^E[A-Z]+$/;
/**
 * System and TLS errors; and by SQLSTATE: connection, outdated primary or standby, authorization, unknown database, no
 * schema, a lost prepared statement, missing rights, insufficient resources, a time limit of the role, shut down by an administrator.
 */
export const isNotReached = (code: string): boolean =>
  /^(?:E[A-Z]+|[A-Z_]*CERT[A-Z_]*|08...|25006|28...|3D...|3F...|26000|42P05|42501|53...|57...)$/.test(code);
/** Read-only, I/O error, corrupt, full, cannot open, not a database (https://sqlite.org/rescode.html). */
const unusable = [8, 10, 11, 13, 14, 26];
