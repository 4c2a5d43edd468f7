import { Kysely, type LogEvent, PostgresAdapter, PostgresDialect, type Transaction } from 'kysely';
import type { DevicesTable } from './access/devices.ts';
import type { KeysTable } from './access/keys.ts';
import type { LockoutsTable } from './access/lockouts.ts';
import type { MailCodesTable } from './access/mail-codes.ts';
import type { ResetLinksTable } from './access/reset-links.ts';
import type { SessionsTable } from './access/sessions.ts';
import type { AccountsTable } from './accounts/accounts.ts';
import type { ActivityTable } from './accounts/activity.ts';
import type { ConsentsTable } from './accounts/consents.ts';
import type { EmailChangesTable } from './accounts/email-changes.ts';
import type { NotificationsTable } from './accounts/notifications.ts';
import type { PromoCodesTable } from './accounts/promo-codes.ts';
import { databaseBudget } from './budget.ts';
import type { PhoneCallsTable } from './calls/phone-calls.ts';
import type { ComputersTable } from './computers/computers.ts';
import type { EnrolmentsTable } from './computers/enrolments.ts';
import type { RecordsTable } from './computers/records.ts';
import type { OutboxTable } from './letters/outbox.ts';
import type { ReturnedLettersTable } from './letters/returned-letters.ts';
import type { UnreachableAddressesTable } from './letters/unreachable-addresses.ts';
import type { LimitHitsTable } from './limits.ts';
import { makeFolder } from './make-folder.ts';
import type { AuditLogTable } from './operators/audit-log.ts';
import { hostsIn, openPools } from './postgres/hosts.ts';
import type { Pool } from './postgres/pool.ts';
import { type OutdatedPrimary, openTimelines, type Timelines } from './postgres/timeline.ts';
import { retry } from './retry.ts';
import { Sqlite } from './sqlite/dialect.ts';
import { databaseFile } from './sqlite/files.ts';
import type { WriteProbesTable } from './write-probes.ts';

/** Every table; one file each. Times are milliseconds since the epoch, in UTC. */
export interface Database {
  accounts: AccountsTable;
  activity: ActivityTable;
  audit_log: AuditLogTable;
  computers: ComputersTable;
  consents: ConsentsTable;
  devices: DevicesTable;
  email_changes: EmailChangesTable;
  enrolments: EnrolmentsTable;
  keys: KeysTable;
  limit_hits: LimitHitsTable;
  lockouts: LockoutsTable;
  mail_codes: MailCodesTable;
  notifications: NotificationsTable;
  outbox: OutboxTable;
  phone_calls: PhoneCallsTable;
  promo_codes: PromoCodesTable;
  records: RecordsTable;
  reset_links: ResetLinksTable;
  returned_letters: ReturnedLettersTable;
  sessions: SessionsTable;
  unreachable_addresses: UnreachableAddressesTable;
  write_probes: WriteProbesTable;
}

export type Store = Kysely<Database>;
export type StoreTransaction = Transaction<Database>;
export type Engine = 'sqlite' | 'postgres';

export interface DatabaseSettings {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  /** Connections to PostgreSQL at once. */
  readonly poolSize?: number | undefined;
}

interface Options {
  /** Milliseconds for which a statement or a transaction may keep its caller waiting; may be infinite. */
  readonly waitsFor?: number;
  /** Nothing can be changed by it, neither in the database nor in its folder. */
  readonly readOnly?: boolean;
  /** Told of every statement that was answered, or not. */
  readonly told?: ((asked: Statement) => void) | undefined;
  /** Called once for each server that takes changes although another one was promoted after it. */
  readonly onOutdated?: ((outdated: OutdatedPrimary) => void) | undefined;
}

export interface Statement {
  readonly engine: Engine;
  /** Without its values. */
  readonly sql: string;
  readonly milliseconds: number;
  readonly failed: boolean;
  readonly error?: unknown;
}

/** Connects to PostgreSQL when there is a URL, else opens the SQLite file in the data folder, making both if needed. */
export function openStore(
  { dataDir, databaseUrl: url, poolSize: size = 10 }: DatabaseSettings,
  { waitsFor = databaseBudget, readOnly = false, told, onOutdated: report = () => undefined }: Options = {},
): Store {
  const listen = told && {
    log: (event: LogEvent) =>
      told({
        engine: url ? 'postgres' : 'sqlite',
        sql: event.query.sql,
        milliseconds: event.queryDurationMillis,
        failed: event.level === 'error',
        ...(event.level === 'error' && { error: event.error }),
      }),
  };
  if (url) {
    const known = openTimelines({ hosts: hostsIn(url), dataDir, readOnly, report });
    const pool = openPools({ url, size, waitsFor, readOnly, examine: known.examine });
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
  return new Kysely({ dialect: new Sqlite({ file: databaseFile(dataDir), waitsFor, readOnly }), ...listen });
}

const pools = new WeakMap<Store, Pool>();

const timelines = new WeakMap<Store, Timelines>();

/** Servers of this database that take changes although another one was promoted after them. */
export const outdatedPrimariesOf = (store: Store): readonly OutdatedPrimary[] => timelines.get(store)?.outdated() ?? [];

/** The connections to PostgreSQL; undefined with SQLite, which has none. */
export const connectionsOf = (store: Store) => pools.get(store)?.state();

/** Does a transaction again that PostgreSQL undid for others' sake, so what it does outside the database must be able to bear that. */
class RetryingStore extends Kysely<Database> {
  override transaction() {
    const builder = super.transaction();
    const once = builder.execute.bind(builder);
    builder.execute = (work) => retry(() => once(work));
    return builder;
  }
}

/** Which engine a store speaks to, for the few statements that differ. */
export const engineOf = (store: Kysely<Database>): Engine =>
  store.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
