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

export interface Migration {
  // biome-ignore lint/suspicious/noExplicitAny: a migration sees the tables of its own time, not today's types
  up(db: Kysely<any>): Promise<void>;
  /** The newest migration that a version has to know so that it may go on working after this one. */
  readonly oldestCode: string;
}

/** In order of their names and forward only: a step that was released is never changed. */
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
};

/**
 * Brings a database to today's tables, over a connection of its own. Nodes that start together wait for the one that
 * does it. Tables of a newer version are left alone as long as they say that this one may still work with them.
 */
export async function migrate(database: DatabaseSettings, steps = migrations): Promise<void> {
  const store = openStore(database, { waitsFor: Number.POSITIVE_INFINITY });
  try {
    while (await takeStep(store, steps));
  } finally {
    await store.destroy();
  }
}

/** How many steps this version would take. Changes nothing; throws where it could not work with the database. */
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

/** One step with its mark, or nothing of either: a node that is killed leaves what the next one can start from. */
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

/** The number that Kysely's own migrator locks by, which earlier versions used. */
const turn = '3853314791062309107';

/** SQLite's transaction is alone from its beginning. */
async function takeTurn(trx: StoreTransaction): Promise<void> {
  if (engineOf(trx) === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(turn)}::bigint)`.execute(trx);
}

/** The table that Kysely's migrator made in earlier versions, and the one of the oldest code that may run. */
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
  return `${setting}: a newer version has changed this database so that only versions that know "${floor}" can use it, and this one knows no more than "${newest}": start the newer version, or restore a backup from before it`;
}
