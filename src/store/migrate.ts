import { type Kysely, sql } from 'kysely';
import { SettingsError } from '../contract/settings-error.ts';
import { type DatabaseSettings, engineOf, openStore, type Store, type StoreTransaction } from './database.ts';
import * as frontDoor from './migrations/0001-front-door.ts';
import * as phoneCalls from './migrations/0002-phone-calls.ts';
import * as lostAnswers from './migrations/0003-lost-answers.ts';
import * as mailCodes from './migrations/0004-mail-codes.ts';
import * as provenAddresses from './migrations/0005-proven-addresses.ts';
import * as letters from './migrations/0006-letters.ts';
import * as account from './migrations/0020-account.ts';
import * as consents from './migrations/0021-consents.ts';
import * as computers from './migrations/0030-computers.ts';
import * as provenSessions from './migrations/0031-proven-sessions.ts';
import * as warnings from './migrations/0032-warnings.ts';
import * as accountLocks from './migrations/0040-account-locks.ts';
import * as emailChanges from './migrations/0050-email-changes.ts';
import * as timeZones from './migrations/0060-time-zones.ts';
import * as sharedSessions from './migrations/0061-shared-sessions.ts';
import * as unreachableAddresses from './migrations/0075-unreachable-addresses.ts';
import * as returnedLetters from './migrations/0076-returned-letters.ts';
import * as whatCallsCost from './migrations/0080-what-calls-cost.ts';
import * as recordsByKind from './migrations/0090-records-by-kind.ts';
import * as callAttempts from './migrations/0092-call-attempts.ts';
import * as registrationAttempts from './migrations/0093-registration-attempts.ts';
import * as undoRestoresProof from './migrations/0100-undo-restores-proof.ts';
import * as callsByBrowser from './migrations/0112-calls-by-browser.ts';
import * as auditLog from './migrations/0120-audit-log.ts';
import * as formerAddresses from './migrations/0121-former-addresses.ts';
import * as alarms from './migrations/0150-alarms.ts';

export interface Migration {
  // biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
  up(db: Kysely<any>): Promise<void>;
  /** Versions that know this migration keep working after the new one. */
  readonly oldestCode: string;
}

/** Run in the order of their names, forward only: never change a released migration. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-front-door': frontDoor,
  '0002-phone-calls': phoneCalls,
  '0003-lost-answers': lostAnswers,
  '0004-mail-codes': mailCodes,
  '0005-proven-addresses': provenAddresses,
  '0006-letters': letters,
  '0020-account': account,
  '0021-consents': consents,
  '0030-computers': computers,
  '0031-proven-sessions': provenSessions,
  '0032-warnings': warnings,
  '0040-account-locks': accountLocks,
  '0050-email-changes': emailChanges,
  '0060-time-zones': timeZones,
  '0061-shared-sessions': sharedSessions,
  '0075-unreachable-addresses': unreachableAddresses,
  '0076-returned-letters': returnedLetters,
  '0080-what-calls-cost': whatCallsCost,
  '0090-records-by-kind': recordsByKind,
  '0092-call-attempts': callAttempts,
  '0093-registration-attempts': registrationAttempts,
  '0100-undo-restores-proof': undoRestoresProof,
  '0112-calls-by-browser': callsByBrowser,
  '0120-audit-log': auditLog,
  '0121-former-addresses': formerAddresses,
  '0150-alarms': alarms,
};

/**
 * Migrates a database to the current tables, over a separate connection. Nodes that start together wait for the one
 * that migrates. Accepts tables of a newer version if their `oldestCode` permits this one; otherwise throws a
 * SettingsError.
 */
export async function migrate(database: DatabaseSettings, steps = migrations): Promise<void> {
  const store = openStore(database, { waitsFor: Number.POSITIVE_INFINITY });
  try {
    while (await takeStep(store, steps));
  } finally {
    await store.destroy();
  }
}

/**
 * How many migrations this version would run. Changes nothing; throws if this version cannot work with the database.
 */
export async function stepsAhead(store: Store, steps = migrations): Promise<number> {
  const known = Object.keys(steps).sort();
  const tables = await store.introspection.getTables({ withInternalKyselyTables: true });
  const has = (table: string) => tables.some(({ name }) => name === table);
  if (!has('kysely_migration')) return known.length;
  const { done, floor } = has('oldest_code') ? await readMarks(store) : { done: await readDone(store), floor: '' };
  const newest = known.at(-1) ?? '';
  if (floor > newest) throw new SettingsError(tooOld({ store, floor, newest }));
  return known.filter((step) => !done.has(step)).length;
}

/** Runs one migration and records it, in one transaction: if the node is killed, the next one can start from there. */
function takeStep(store: Store, steps: Readonly<Record<string, Migration>>): Promise<boolean> {
  return store.transaction().execute(async (trx) => {
    // mutation: migrate-together
    await takeTurn(trx);
    await makeMarks(trx);
    const { done, floor } = await readMarks(trx);
    const known = Object.keys(steps).sort();
    const newest = known.at(-1) ?? '';
    if (floor > newest) throw new SettingsError(tooOld({ store: trx, floor, newest }));
    const name = known.find((step) => !done.has(step));
    const step = name && steps[name];
    if (!step) return false;
    await step.up(trx);
    await mark(trx, name, step.oldestCode);
    return true;
  });
}

/** The advisory lock of Kysely's migrator, which earlier versions used. */
const turn = '3853314791062309107';

/** In SQLite, a write transaction is exclusive from its beginning. */
async function takeTurn(trx: StoreTransaction): Promise<void> {
  if (engineOf(trx) === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(turn)}::bigint)`.execute(trx);
}

/**
 * Creates the table of Kysely's migrator, which earlier versions used, and the one for the oldest code that may run.
 */
async function makeMarks(trx: StoreTransaction): Promise<void> {
  await sql`create table if not exists kysely_migration
    (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(trx);
  await sql`create table if not exists oldest_code (migration varchar(255) not null primary key)`.execute(trx);
}

async function readMarks(store: Store): Promise<{ done: ReadonlySet<string>; floor: string }> {
  const { rows } = await sql<{ migration: string }>`select migration from oldest_code`.execute(store);
  const floors = rows.map(({ migration }) => migration).sort();
  return { done: await readDone(store), floor: floors.at(-1) ?? '' };
}

async function readDone(store: Store): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(store);
  return new Set(rows.map(({ name }) => name));
}

async function mark(trx: StoreTransaction, name: string, oldestCode: string): Promise<void> {
  const at = new Date().toISOString();
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${at})`.execute(trx);
  await sql`insert into oldest_code (migration) values (${oldestCode}) on conflict do nothing`.execute(trx);
}

function tooOld({ store, floor, newest }: { store: Store; floor: string; newest: string }): string {
  const setting = engineOf(store) === 'postgres' ? 'DATABASE_URL' : 'DATA_DIR';
  return `${setting}: a newer version has migrated this database, which now requires a version that knows "${floor}"; this version only knows migrations up to "${newest}": start the newer version, or restore a backup from before the update`;
}
