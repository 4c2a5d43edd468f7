import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { SettingsError } from '../contract/settings-error.ts';
import { type DatabaseSettings, engineOf, openStore, type Store, type StoreTransaction } from './database.ts';
import { halfOf, makeMarks, mark, markHalf, readMarks } from './migration-marks.ts';
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
import * as recordCounts from './migrations/0130-record-counts.ts';
import * as callDeliveries from './migrations/0140-call-deliveries.ts';
import * as deviceHistory from './migrations/0150-device-history.ts';
import * as alarms from './migrations/0160-alarms.ts';
import * as authentication from './migrations/0170-authentication.ts';
import * as secondStep from './migrations/0171-second-step.ts';
import * as webhooks from './migrations/0176-webhooks.ts';
import * as passkeys from './migrations/0180-passkeys.ts';
import * as clients from './migrations/0190-clients.ts';
import * as clientGrants from './migrations/0191-client-grants.ts';
import * as forwardAuth from './migrations/0196-forward-auth.ts';
import * as computerTags from './migrations/0202-computer-tags.ts';
import * as quietHours from './migrations/0203-quiet-hours.ts';
import * as alarmTagRules from './migrations/0204-alarm-tag-rules.ts';
import * as credentialSessions from './migrations/0205-credential-sessions.ts';

export interface Migration {
  /** Runs in a transaction. On PostgreSQL it neither reads nor changes the rows of a table that can be large. */
  // biome-ignore lint/suspicious/noExplicitAny: a migration uses the tables of its time, not the current types
  up?(db: Kysely<any>): Promise<void>;
  /**
   * Runs after `up`; on PostgreSQL outside a transaction, while nodes work (`migrations/online.ts`). After an
   * interruption it runs again from its beginning.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  upOnline?(db: Kysely<any>): Promise<void>;
  /** Versions that know this migration keep working after the new one. */
  readonly oldestCode: string;
}

/** Run in the order of their names, forward only: never change a released migration. */
export const migrations: Readonly<Record<string, Migration>> = {
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
  '0130-record-counts': recordCounts,
  '0140-call-deliveries': callDeliveries,
  '0150-device-history': deviceHistory,
  '0160-alarms': alarms,
  '0170-authentication': authentication,
  '0171-second-step': secondStep,
  '0176-webhooks': webhooks,
  '0180-passkeys': passkeys,
  '0190-clients': clients,
  '0191-client-grants': clientGrants,
  '0196-forward-auth': forwardAuth,
  '0202-computer-tags': computerTags,
  '0203-quiet-hours': quietHours,
  '0204-alarm-tag-rules': alarmTagRules,
  '0205-credential-sessions': credentialSessions,
};

/** How often we try to lock a table that another session uses; requests for the table pass between the attempts. */
const lockTries = 60;
/** Milliseconds for which requests for a table may queue behind a migration that waits for its lock. */
const lockWaits = 2000;
const pauseBetweenTries = 1000;
/** How often (ms) we check whether another node has finished migrating. */
const turnPoll = 200;

interface MigrateOptions {
  readonly steps?: Readonly<Record<string, Migration>>;
  readonly tries?: number;
}

/**
 * Migrates a database to the current tables, over separate connections. Nodes that start together wait for the one that
 * migrates. Accepts tables of a newer version if their `oldestCode` permits this one. Returns how many steps it took.
 * Throws a SettingsError if the tables are too new, or if another session keeps a table locked.
 */
export async function migrate(
  database: DatabaseSettings,
  { steps = migrations, tries = lockTries }: MigrateOptions = {},
): Promise<number> {
  const store = openStore(database, { waitsFor: Number.POSITIVE_INFINITY });
  let [done, refused] = [0, 0];
  try {
    for (;;) {
      const outcome = await takeStep(store, steps).catch(asRefusal);
      if (outcome === 'none left') return done;
      if (outcome === 'locked') refused += 1;
      if (outcome === 'done') [done, refused] = [done + 1, 0];
      if (refused === tries) throw new SettingsError(tableLocked);
      if (outcome === 'busy') await pause(turnPoll);
      if (outcome === 'locked') await pause(pauseBetweenTries);
    }
  } finally {
    await store.destroy();
  }
}

const tableLocked =
  'DATABASE_URL: a migration cannot lock its table, because another session uses it, such as pg_dump or an open transaction (pg_stat_activity lists them): end that session, then start again';

const lockTimeout = '55P03';

function asRefusal(error: unknown): 'locked' {
  if ((error as { code?: string }).code === lockTimeout) return 'locked';
  throw error;
}

/**
 * How many migrations this version would run. Changes nothing; throws if this version cannot work with the database.
 */
export async function stepsAhead(store: Store, steps = migrations): Promise<number> {
  const known = Object.keys(steps).sort();
  const tables = await store.introspection.getTables({ withInternalKyselyTables: true });
  const has = (table: string) => tables.some(({ name }) => name === table);
  if (!has('kysely_migration')) return known.length;
  const { done, floor } = await readMarks(store, { hasFloors: has('oldest_code') });
  refuseOlderCode({ store, floor, newest: known.at(-1) ?? '' });
  return known.filter((step) => !done.has(step)).length;
}

/**
 * Runs one migration and records it: in one transaction, so that the next node can start from there if this one is
 * killed. The parts of a migration with `upOnline` are recorded one by one.
 */
function takeStep(
  store: Store,
  steps: Readonly<Record<string, Migration>>,
): Promise<'done' | 'half done' | 'none left' | 'busy' | 'locked'> {
  return store.transaction().execute(async (trx) => {
    // mutation: migrate-together
    if (!(await takeTurn(trx))) return 'busy';
    await makeMarks(trx);
    const { done, floor } = await readMarks(trx);
    const known = Object.keys(steps).sort();
    refuseOlderCode({ store: trx, floor, newest: known.at(-1) ?? '' });
    const name = known.find((step) => !done.has(step));
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

/** The advisory lock of Kysely's migrator, which earlier versions used. */
const turn = '3853314791062309107';

/**
 * False while another node migrates. A statement that waits for the turn would have a snapshot, and the other node's
 * `create index concurrently` would wait for it. In SQLite, a write transaction is exclusive from its beginning.
 */
async function takeTurn(trx: StoreTransaction): Promise<boolean> {
  if (engineOf(trx) === 'sqlite') return true;
  await sql`set local lock_timeout = ${sql.lit(lockWaits)}`.execute(trx);
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(turn)}::bigint) as taken`.execute(trx);
  return rows[0]?.taken ?? false;
}

function refuseOlderCode({ store, floor, newest }: { store: Store; floor: string; newest: string }): void {
  if (floor <= newest) return;
  const setting = engineOf(store) === 'postgres' ? 'DATABASE_URL' : 'DATA_DIR';
  throw new SettingsError(
    `${setting}: a newer version has migrated this database, which now requires a version that knows "${floor}"; this version only knows migrations up to "${newest}": start the newer version, or restore a backup from before the update`,
  );
}
