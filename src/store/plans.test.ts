import { join } from 'node:path';
import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { admit } from '../access/admit.ts';
import { passwordProof } from '../access/prove-password.ts';
import { actionsOf } from '../contract/operators.ts';
import { outdatedOfDevices } from '../devices/account-part.ts';
import { alarmPlansOf } from '../devices/store/alarm-plans.ts';
import { dueAlarms, lockDueAlarms, rescheduleAlarms, saveAlarms } from '../devices/store/alarm-states.ts';
import { makeAlarmsOfAccountDue } from '../devices/store/alarms-due.ts';
import {
  computerOf,
  computersOf,
  countComputers,
  enrolments,
  findComputerByToken,
  recordHeartbeat,
  removeComputer,
  versionOfComputers,
} from '../devices/store/computers.ts';
import {
  enrolmentKeysOf,
  findEnrolmentKey,
  revokeEnrolmentKeys,
  useEnrolmentKey,
} from '../devices/store/enrolment-keys.ts';
import { applyRules } from '../devices/store/incidents.ts';
import {
  countUnread,
  followMembers,
  notificationsOf,
  readAllNotifications,
  readNotification,
} from '../devices/store/notifications.ts';
import { addRecords, newestOf, newestRecordsOf, recordsOf, seqOf, trimRecords } from '../devices/store/records.ts';
import { engines, freshDatabase, withLongTimeouts } from '../testing/databases/databases.ts';
import { onFileEnd } from '../testing/file-cleanup.ts';
import { acceptStep, findAuthenticator, findPendingSecret, forgetPendingSecrets } from './access/authenticators.ts';
import {
  countRemembered,
  forgetOtherDevices,
  forgetRememberedOf,
  isRemembered,
  knownDeviceOf,
  rememberDevice,
} from './access/devices.ts';
import { attemptFailed, attemptSucceeded, endLockouts, lockedUntil, reserveAttempt } from './access/lockouts.ts';
import { challenges, countPasskeys, findPasskey, passkeysOf, recordPasskeyUse } from './access/passkeys.ts';
import { consumeRecoveryCode, countRecoveryCodes } from './access/recovery-codes.ts';
import { findResetLink, resetLinks } from './access/reset-links.ts';
import { accountOfRemoval, dueRemovals, pendingSignIns } from './access/second-step.ts';
import { ownerOf } from './access/session-owner.ts';
import {
  adoptGeneration,
  credentialSessionsOnNewDevices,
  endOtherSessions,
  endSession,
  findSession,
  openRotations,
  repeatResponse,
} from './access/sessions.ts';
import { mailCodes, takeMailCodeTries } from './access/sign-in-codes.ts';
import { findSignInState } from './access/sign-in-lookup.ts';
import {
  type AccountsTable,
  accountDetails,
  findAccount,
  findAccountByEmail,
  lockAccountRow,
  lockUnchangedAccount,
  proveEmail,
} from './accounts/accounts.ts';
import { lastActivity, listActivity, recentVisits } from './accounts/activity-log.ts';
import { accountFormerlyAt, findAccounts } from './accounts/find-accounts.ts';
import { accountsWhere } from './accounts/list-accounts.ts';
import { groupsOf } from './applications/account-groups.ts';
import {
  countLateResponse,
  extendGrant,
  findGrant,
  findGrantOfSession,
  moveGrants,
} from './applications/client-grants.ts';
import {
  connectClient,
  connectionsOfAccount,
  disconnectClient,
  findClient,
  findConnection,
  listClientSecrets,
  recordUse,
} from './applications/clients.ts';
import { endGrant, endGrantsOfAccount, endGrantsOfClient, endGrantsOfSession } from './applications/end-grants.ts';
import { logoutQueue } from './applications/logout-notices.ts';
import {
  addRecord,
  consumeAgain,
  consumeRecord,
  findRecord,
  findRecordByUserCode,
  forwardAuthCodes,
  payloadsOfGrant,
  removeRecord,
  replacePayload,
  saveRecord,
} from './applications/openid-records.ts';
import { providerRates } from './calls/call-outcomes.ts';
import { isLinkAlive, takeLinkTry } from './calls/confirmation-links.ts';
import { beginCall, confirmCall, findCall, findRepeatedCall, providersMissed, takeTry } from './calls/phone-calls.ts';
import { cleanUp, outdated } from './clean-up.ts';
import type { Database, Engine, Store, StoreTransaction } from './database.ts';
import { firstIdOf } from './database.ts';
import { knownBounces, recordBounce } from './emails/bounces.ts';
import { accountsTriedSince, emailQueue, giveUpEmailsBefore, makeAllDue, withNotice } from './emails/outbox.ts';
import { requeueEmails } from './emails/outbox-review.ts';
import { addressesOfAccounts, findSuppressed, suppressedAmong } from './emails/suppression-list.ts';
import { migrate } from './migrate.ts';
import { hasRecentEntry, listAuditEntries, positionBefore, reasonAmong } from './operators/audit-log.ts';
import { doubtGivenBy } from './operators/doubts.ts';
import { listJobs } from './operators/jobs.ts';
import { countsBetween } from './operators/statistics.ts';
import { createPartitions } from './partitions.ts';
import { openPool } from './postgres/pool.ts';
import { countRequest } from './rate-limits.ts';
import { Sqlite } from './sqlite/dialect.ts';
import { givenUpDeliveries, redactDeliveries, webhookQueue } from './webhooks/deliveries.ts';
import { recordEvent, subscribe } from './webhooks/record-event.ts';

const now = Date.UTC(2026, 10, 21);
const rows = 10_000;
const evaluated = { alarm_events: '', alarm_limits: '' };
/** PostgreSQL rightly scans a smaller table that one statement joins with two hundred rows. */
const rowsOfJoined = 50_000;
/** Of the tables that have partitions on PostgreSQL. */
const months = [7, 8, 9, 10].map((month) => Date.UTC(2026, month, 15));
const keyInMonths = sql.raw(
  `case n % 4 ${months.map((at, month) => `when ${month} then '${firstIdOf(at).slice(0, 14)}'`).join(' ')} end || n`,
);
const joined = /^insert into "?(?:accounts|sessions|computers)"? /;

/** Enough rows to make a scan expensive. `n` counts them, and all columns derive from it. */
const filling = [
  sql`insert into accounts (id, email, email_key, name, phone, locale, password_hash, password_changed_at, created_at, second_step_at)
    select 'a' || n, 'e' || n, 'e' || n || '@example.com', 'Anna', '+49', 'de', 'hash', ${sql.lit(now)}, ${sql.lit(now)},
      case when n % 1000 = 0 then null else ${sql.lit(now)} end from n`,
  ...['email', 'domain', 'word', 'phone', 'phone_end'].map(
    (kind) => sql`insert into search_keys (account_id, kind, key) select 'a' || n, ${sql.lit(kind)}, 'e' || n from n`,
  ),
  sql`insert into sessions (id, account_id, generation, rotated_at, created_at, expires_at, ip, user_agent, amr, acr)
    select 's' || n, 'a' || n, 3, ${sql.lit(now)}, ${sql.lit(now)}, ${sql.lit(now)} + n, '::1', 'browser', 'pwd', 'aal1' from n`,
  sql`insert into forward_auth_codes (hash, session_id, client_id, origin, nonce_hash, created_at)
    select 'f' || n, 's' || n, 'app', 'https://app.example', 'h' || n, ${sql.lit(now)} - n from n`,
  sql`insert into webhook_receivers (id, disabled_at) select 'x' || n, n from n`,
  sql`insert into webhook_deliveries (id, receiver, account_id, position, type, data, created_at, due_at, attempts, leased_until, sent_at)
    select 'w' || n, 'r' || (n % 5), 'a' || n, 1, 'account.changed', '{}', ${sql.lit(now)} - n, ${sql.lit(now)} - n, 0, 0, 
      case when n % 1000 = 0 then null else ${sql.lit(now)} - n end from n`,
  sql`insert into consents (id, account_id, kind, given, version, locale, at)
    select 'v' || n, 'a' || n, 'terms', 1, 1, 'de', ${sql.lit(now)} from n`,
  sql`insert into devices (token_hash, account_id, created_at, last_seen_at) select 'd' || n, 'a' || n, n, n from n`,
  sql`insert into lockouts (key, failures, pending, pending_since, locked_until, last_failure_at)
    select 'l' || n, 1, 0, ${sql.lit(now)} - n, 0, 0 from n`,
  sql`insert into registration_days (day, asked, called, confirmed, used, registered, proven) select n, 1, 1, 1, 1, 1, 1 from n`,
  sql`insert into limit_hits (id, key, at) select 'h' || n, 'k' || n, ${sql.lit(now)} - n from n`,
  sql`insert into outbox (id, account_id, channel, notice, locale, recipient, params, created_at, due_at, attempts, leased_until, sent_at)
    select 'o' || n, 'a' || n, 'mail', 'recovery', 'de', 'e', '{}', n, n, 1, 0,
      case when n % 1000 = 0 then null else ${sql.lit(now)} - n end from n`,
  sql`insert into reset_links (token_hash, account_id, outbox_id, created_at)
    select 'r' || n, 'a' || n, 'o' || n, ${sql.lit(now)} - n from n`,
  sql`insert into mail_codes (id, email_key, account_id, outbox_id, proof, attempts_left, created_at)
    select 'm' || n, 'e' || n || '@example.com', 'a' || n, 'o' || n, 'proof', 3, ${sql.lit(now)} - n from n`,
  sql`insert into email_changes (token_hash, account_id, email, created_at)
    select 'x' || n, 'a' || n, 'e' || n || '@example.com', ${sql.lit(now)} - n from n`,
  sql`insert into unreachable_addresses (email_key, email, reason, told_by, detail, at)
    select 'e' || n || '@example.com', 'e' || n, 'no_such_address', 'smtp', '', ${sql.lit(now)} - n from n`,
  sql`insert into returned_emails (id, told_by, kind, at) select 'w' || n, 'dsn', 'refused', ${sql.lit(now)} - n from n`,
  sql`insert into phone_calls (id, phone, way, state, attempts_left, locale, created_at, expires_at)
    select 'c' || n, '+49' || n, 'ring', 'placed', 3, 'de', ${sql.lit(now)} - n, ${sql.lit(now)} from n`,
  sql`insert into activity (id, account_id, at, kind, ip, user_agent)
    select ${keyInMonths}, 'a' || n, n, 'signed_in', '::1', 'browser' from n`,
  sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs, alarm_check_at)
    select 'p' || n, 'a' || n, 'Office', 'linux', 't' || n, n, n, '1', ${sql.lit(now)} + n from n`,
  sql`insert into enrolment_keys (id, account_id, name, key_hash, tags, networks, max_uses, uses, created_at, expires_at)
    select 'k' || n, 'a' || n, 'Office', 'h' || n, '[]', '[]', 9, 0, n, ${sql.lit(now)} + n from n`,
  sql`insert into telegram_links (token_hash, account_id, created_at) 
    select 'h' || n, 'a' || n, ${sql.lit(now)} - n from n`,
  sql`insert into push_subscriptions (id, account_id, session_id, endpoint, p256dh, auth, browser, created_at, seen_at)
    select 'u' || n, 'a' || n, 's' || n, 'https://push.example.net/' || n, 'k', 'k', 'Firefox', ${sql.lit(now)} - n,
      ${sql.lit(now)} - n from n`,
  sql`insert into enrolments (code_hash, account_id, created_at) select 'c' || n, 'a' || n, ${sql.lit(now)} - n from n`,
  sql`insert into records (seq, account_id, computer_id, id, at, kind, text)
    select ${keyInMonths}, 'a' || n, 'p' || n, 'i' || n, n, 'start', 'It runs.' from n`,
  sql`insert into record_counts (account_id, computer_id, day, records) select 'a' || n, 'p' || n, n, 1 from n`,
  sql`insert into notifications (id, account_id, at, kind, name)
    select ${keyInMonths}, 'a' || n, n, 'computer_added', 'Office' from n`,
  sql`insert into passkeys (id, account_id, name, aaguid, public_key, algorithm, counter, transports, backup_eligible, backed_up, created_at)
    select 'k' || n, 'a' || n, 'Key', '', 'key', -7, 0, '', 1, 1, n from n`,
  sql`insert into operator_invitations (hash, email_key, role, created_at)
    select 'i' || n, 'e' || n || '@example.com', 'viewer', ${sql.lit(now)} - n from n`,
  sql`insert into operator_requests (hash, request, attempt, created_at)
    select 'q' || n, 'r', 'a' || n, ${sql.lit(now)} - n from n`,
  sql`insert into operator_notes (id, account_id, at, actor_kind, actor, text)
    select 'n' || n, 'a' || n, n, 'key', 'k', 'note' from n`,
  sql`insert into audit_log (id, at, actor_kind, actor, origin, action, account_id, subject)
    select 'u' || n, n, 'key', 'k', '::1', 'account_locked', 'a' || n, 'a***' from n`,
  sql`insert into operator_jobs (id, created_at, actor_kind, actor, origin, act, people, done, failures)
    select 'j' || n, ${sql.lit(now)} - n, 'key', 'k', '::1', 'lock', '[]', 0, '[]' from n`,
  sql`insert into nodes (id, name, version, started_at, seen_at) select 'n' || n, 'node', '1', n, ${sql.lit(now)} - n from n`,
  sql`insert into passkey_users (account_id, handle) select 'a' || n, 'u' || n from n`,
  sql`insert into passkey_challenges (hash, purpose, browser_hash, automatic, created_at)
    select 'g' || n, 'sign_in', 'b' || n, 0, ${sql.lit(now)} - n from n`,
  sql`insert into authenticators (account_id, secret, confirmed_at) select 'a' || n, 'sealed', 1 from n`,
  sql`insert into single_use_results (hash, account_id, result, created_at)
    select 'q' || n, 'a' || n, 'sealed', ${sql.lit(now)} - n from n`,
  sql`insert into pending_authenticators (session_id, account_id, secret, created_at)
    select 's' || n, 'a' || n, 'sealed', ${sql.lit(now)} - n from n`,
  sql`insert into recovery_codes (mac, account_id, created_at) select 'k' || n, 'a' || n, 1 from n`,
  sql`insert into pending_sign_ins (token_hash, account_id, created_at, method, shared, user_agent)
    select 'g' || n, 'a' || n, ${sql.lit(now)} - n, 'password', 0, 'browser' from n`,
  sql`insert into second_step_removals (account_id, token_hash, requested_at, due_at)
    select 'a' || n, 'z' || n, n, ${sql.lit(now)} + n from n`,
  sql`insert into alarm_plans (account_id) select 'a' || n from n`,
  sql`insert into clients (id, name, redirect_uris, post_logout_uris, "groups", resources, signing, "public", first_party,
      service, device, claims_in_id_token, from_file, created_at)
    select 'q' || n, 'App', '[]', '[]', '[]', '[]', 'ES256', 0, 0, 0, 0, 0, 0, n from n`,
  sql`insert into client_secrets (hash, client_id, created_at) select 'z' || n, 'q' || n, n from n`,
  sql`insert into account_groups (account_id, name, added_at) select 'a' || n, 'staff', n from n`,
  sql`insert into client_grants (id, account_id, client_id, session_id, sid, scopes, offline, created_at, expires_at)
    select 'g' || n, 'a' || n, 'q' || n, 's' || n, 'i' || n, 'openid', 0, n, ${sql.lit(now)} + n from n`,
  sql`insert into connected_clients (account_id, client_id, scopes, connected_at, last_used_at)
    select 'a' || n, 'q' || n, 'openid', n, n from n`,
  sql`insert into openid_records (key, payload, grant_id, expires_at)
    select 'k' || n, '{}', 'g' || n, ${sql.lit(now)} - n from n`,
  sql`insert into error_references (reference, account_id, at) select 'E' || n, 'a' || n, ${sql.lit(now)} - n from n`,
  sql`insert into statistics (series, hour, label, count) select 'emails', n, 'sent', 1 from n`,
  sql`insert into statistics_nodes (id, batch, at) select 'n' || n, 1, ${sql.lit(now)} - n from n`,
  sql`insert into client_refusals (client_id, code, explanation, value, route, reference, at)
    select 'q' || n, 'invalid_grant', '', '', '/oidc/token', 'r', ${sql.lit(now)} - n from n`,
  sql`insert into logout_notices (id, client_id, subject, sid, created_at, due_at, attempts)
    select 'l' || n, 'q' || n, 'a' || n, 'i' || n, ${sql.lit(now)} - n, ${sql.lit(now)} + n, 0 from n`,
  sql`insert into incidents (id, account_id, kind, began_at, latest_at, opened_at, changed_at, due_at)
    select 'i' || n, 'a' || n, 'computer_silent', n, n, n, n, case when n % 9 = 0 then n end from n`,
  sql`insert into incident_members (incident_id, computer_id, name, tags, since, joined_at)
    select 'i' || n, 'p' || n, 'PC', '[]', n, n from n`,
  sql`insert into alarm_messages (id, account_id, incident_id, channel, event, turn, recipient, created_at, due_at, attempts,
      leased_until) select 'm' || n, 'a' || n, 'i' || n, 'email', 'began', 1, '', n, n, 0, 0 from n`,
];

async function fill(store: Store, engine: Engine): Promise<void> {
  for (const insert of filling) {
    const { sql: text } = insert.compile(store);
    const at = text.indexOf('select');
    const count = engine === 'postgres' && joined.test(text) ? rowsOfJoined : rows;
    const numbered = `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${count})`;
    await sql.raw(`${text.slice(0, at)} ${numbered} ${text.slice(at)}`).execute(store);
  }
}

interface Plans {
  readonly store: Store;
  /** What has executed since the last call of `statementsOf`. */
  readonly seen: CompiledQuery[];
}

const opened: Partial<Record<Engine, Promise<Plans>>> = {};

/** The filled database of an engine, which records each statement. */
function plansOf(engine: Engine): Promise<Plans> {
  opened[engine] ??= openPlans(engine);
  return opened[engine];
}

async function openPlans(engine: Engine): Promise<Plans> {
  const database = await freshDatabase(engine);
  await migrate(database);
  const seen: CompiledQuery[] = [];
  const { dataDir, databaseUrl: url = '' } = database;
  const dialect =
    engine === 'sqlite'
      ? new Sqlite({ file: join(dataDir, 'vestibule.sqlite'), ...withLongTimeouts })
      : new PostgresDialect({ pool: openPool({ url, size: 5, ...withLongTimeouts }) });
  const store: Store = new Kysely<Database>({ dialect, log: ({ query }) => void seen.push(query) });
  onFileEnd(() => store.destroy());
  if (engine === 'postgres') for (const month of months) await createPartitions(store, month);
  await fill(store, engine);
  // PostgreSQL plans with statistics; SQLite has none without an explicit `analyze`.
  if (engine === 'postgres') await sql`analyze`.execute(store);
  return { store, seen };
}

/** Runs `ask` and returns the statements that it executed. */
async function statementsOf(engine: Engine, ask: (store: Store) => Promise<unknown>): Promise<CompiledQuery[]> {
  const { store, seen } = await plansOf(engine);
  seen.length = 0;
  await ask(store);
  return seen.filter(({ sql: text }) => /\b(?:select|insert|update|delete)\b/.test(text) && !/advisory/.test(text));
}

/**
 * The tables that a statement scans completely; `scanned` is a subquery that reads 2,000 keys at most, and there are 50
 * stored receivers at most.
 */
async function scanned(engine: Engine, { sql: text, parameters }: CompiledQuery): Promise<string[]> {
  const { store } = await plansOf(engine);
  if (engine === 'sqlite') {
    const explain = { sql: `explain query plan ${text}`, parameters } as CompiledQuery;
    const plan = await store.executeQuery<{ detail: string }>(explain);
    return plan.rows.flatMap(
      ({ detail }) =>
        /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES|\d+ CONSTANT ROWS|new\b|always\b|newest\b|json_each\b|scanned\b|stored_receivers\b)(\w+)\b(?! USING (?:COVERING )?INDEX (?:outbox|sqlite_autoindex_activity_1|webhook_deliveries_due|search_changes_at|accounts_(?:locked|leaving|without_second_step)))/.exec(
          detail,
        )?.[1] ?? [],
    );
  }
  // Both the plan for these values and the generic plan of a prepared statement.
  const plans = await Promise.all([
    store.executeQuery({ sql: `explain ${text}`, parameters } as CompiledQuery),
    sql.raw(`explain (generic_plan) ${text}`).execute(store),
  ]);
  const lines = plans.flatMap((plan) => plan.rows.map((row) => String(Object.values(row as object)[0])));
  // The catalogs of PostgreSQL are small, and these partitions empty.
  const small = /^pg_|^stored_receivers$|^(?:activity|notifications|records)_(?:default|2026_12|2027_01)$/;
  return lines.flatMap((line) => /Seq Scan on (\w+)/.exec(line)?.[1] ?? []).filter((name) => !small.test(name));
}

const inTransaction = (work: (trx: StoreTransaction) => Promise<unknown>) => (store: Store) =>
  store.transaction().execute(work);

const call = {
  phone: '+497',
  country: 'DE',
  way: 'ring',
  proof: null,
  attempts_left: 3,
  locale: 'de',
  source: '192.0.2.1',
  attempt: null,
  browser: null,
  digits: null,
} as const;

const record = (key: string) => ({ key, payload: '{}', grant_id: 'g7', user_code: null, expires_at: now });

const challenge = { purpose: 'sign_in', account_id: null, session_id: null } as const;

/** Of claims. */
const terms = { limit: 4, now, leaseFor: 1000 };

type Ask = (store: Store) => Promise<unknown>;

/** Statements that people wait for, and those that run beside them. */
const hot: Readonly<Record<string, Ask>> = {
  'one rotation': (store) => openRotations(store)({ id: 's7', generation: 3, now }),
  'two hundred parallel rotations': async (store) => {
    const rotate = openRotations(store);
    await Promise.all(Array.from({ length: 200 }, (_, at) => rotate({ id: `s${at * 50}`, generation: 3, now })));
  },
  'a session by its id': (store) => findSession(store, 's7'),
  ...Object.fromEntries(
    ['E7@example.com', 'e7', '@example', 'Anna Berg', '49 (0)123', '1234', '0123456789', '/devices/'].map(
      (text): [string, Ask] => [
        `accounts that an operator searches by ${text}`,
        (store) => findAccounts(store, { text, filter: {}, wholeContacts: false, origin: '', limit: 9 }),
      ],
    ),
  ),
  ...Object.fromEntries(
    [{ locked: true }, { leaving: true }, { secondStep: false }].map((filter): [string, Ask] => [
      `accounts where ${JSON.stringify(filter)}`,
      (store) => accountsWhere(store, { filter, limit: 9 }),
    ]),
  ),
  'accounts of a domain by a rare state': (store) =>
    findAccounts(store, { text: '@example', filter: { locked: true }, wholeContacts: false, origin: '', limit: 9 }),
  'what was counted': (store) => countsBetween(store, { series: 'emails', from: now - 1000, to: now }),
  'an account by a former address': (store) => accountFormerlyAt(store, 'Old@example.com'),
  'the owners of two hundred sessions': (store) =>
    Promise.all(Array.from({ length: 200 }, (_, at) => ownerOf(store, { id: `s${at * 50}`, now }))),
  'two hundred computers by their tokens': (store) =>
    Promise.all(Array.from({ length: 200 }, (_, at) => findComputerByToken(store, `t${at * 50}`))),
  'the details of an account': (store) => accountDetails(store, 'a7'),
  'a repeated response': (store) =>
    repeatResponse(store, { id: 's7', generation: 3, rotatedBefore: now, maxTimes: 3, now }),
  'an adopted generation': (store) => adoptGeneration(store, { id: 's7', generation: 9, now }),
  'the end of a session': (store) => endSession(store, { id: 's7', reason: 'signed_out', at: now }),
  'the end of all sessions of an account': inTransaction((trx) =>
    endOtherSessions(trx, { accountId: 'a7', except: '', reason: 'signed_out', at: now }),
  ),
  'an account by its address': (store) => findAccountByEmail(store, 'e7@example.com'),
  'an account by its id': (store) => findAccount(store, 'a7'),
  'a locked account row': inTransaction(async (trx) => {
    await lockAccountRow(trx, 'a7');
    await findAccount(trx, 'a7');
  }),
  'an account’s password': inTransaction((trx) => lockUnchangedAccount(trx, { id: 'a7', password_changed_at: now })),
  'a sign-in attempt': (store) =>
    findSignInState(store, { emailKey: 'e7@example.com', emailHash: 'e7', deviceHash: 'd7', now }),
  'an admission by password': async (store) => {
    const visitor = {
      ip: '::1',
      userAgent: 'browser',
      timeZone: undefined,
      source: '::1',
      networks: [],
      paidNetworks: [],
    };
    const account = (await findAccount(store, 'a7')) as AccountsTable;
    const refusal = () => new Error('the password has changed');
    const proof = passwordProof({ method: 'password', account, lockout: 'l7', refusal });
    const service = {
      store,
      now: () => now,
      outbox: { wake: () => undefined },
      config: { relyingParty: undefined, SECOND_STEP: 'optional' as const },
      geoip: { of: () => undefined },
      parts: [],
    };
    const browser = { visitor, deviceToken: 'd7', formerSession: { sessionId: 's9', generation: 0 } };
    await admit(service, { proof, browser, isKnown: true });
  },
  'a known device': (store) => knownDeviceOf(store, { deviceHash: 'd7', account: { id: 'a7' }, now: 0 }),
  'a remembered device': (store) => rememberDevice(store, { tokenHash: 'd7', accountId: 'a7', at: now }),
  'forgotten devices': inTransaction((trx) => forgetOtherDevices(trx, { accountId: 'a7', except: undefined })),
  'a lock': (store) => lockedUntil(store, 'l7', now),
  'a reserved attempt': (store) => reserveAttempt(store, 'l7', now),
  'a failed attempt': (store) => attemptFailed(store, 'l7', now),
  'a successful attempt': (store) => attemptSucceeded(store, 'l7'),
  'a browser that needs no second step': (store) => isRemembered(store, { tokenHash: 'd7', accountId: 'a7', now }),
  'the browsers that need none': (store) => countRemembered(store, { accountId: 'a7', now }),
  'an authenticator': (store) => findAuthenticator(store, 'a7'),
  'a code of an authenticator': (store) => acceptStep(store, { accountId: 'a7', secret: 'sealed', step: 7 }),
  'an authenticator that waits for its first code': (store) => findPendingSecret(store, { sessionId: 's7', now }),
  'ended setups of an authenticator': inTransaction((trx) => forgetPendingSecrets(trx, 'a8')),
  'the recovery codes left': (store) => countRecoveryCodes(store, 'a7'),
  'a recovery code': (store) => consumeRecoveryCode(store, { accountId: 'a7', mac: 'k7' }),
  'a pending sign-in': (store) => pendingSignIns.find(store, { token_hash: 'g7' }, now),
  'a used pending sign-in': inTransaction((trx) => pendingSignIns.use(trx, { token_hash: 'g7' }, now)),
  'ended pending sign-ins': inTransaction((trx) => pendingSignIns.void(trx, 'a8')),
  'the removals that are due': (store) => dueRemovals(store, { now, max: 100 }),
  'the removal of a link': (store) => accountOfRemoval(store, 'z7'),
  'removed lockouts': (store) => endLockouts(store, { emailHash: 'e7@example.com', accountId: 'a8', secondStep: true }),
  'a counted request': (store) => countRequest(store, [{ key: 'k7', limit: 3, within: 1000 }], now),
  'claimed urgent emails': (store) =>
    emailQueue.claim(store, { lane: 1, newestFirst: true, ...terms, where: withNotice(['recovery']) }),
  'a claim of webhooks': (store) => webhookQueue.claim(store, { lane: 'r0', ...terms }),
  'the webhooks of a deleted account': (store) => store.transaction().execute((trx) => redactDeliveries(trx, 'a7')),
  'the outbox’s backlog': (store) => emailQueue.backlog(store),
  'claimed notifications by email': (store) =>
    emailQueue.claim(store, { lane: 0, ...terms, where: withNotice(['recovery']), except: ['x'] }),
  'emails after a clock was set back': (store) => emailQueue.shift(store, { by: 1000, now }),
  'emails made due now': (store) => makeAllDue(store, now),
  'emails that are too old': (store) => giveUpEmailsBefore(store, { before: now, now, error: 'too late' }),
  'retried emails': (store) =>
    store
      .transaction()
      .execute((trx) =>
        requeueEmails(trx, { ids: ['o1000'], shortLived: ['sign_in_code'], withResetLink: ['recovery'], now }),
      ),
  'a suppressed address': (store) => findSuppressed(store, 'e7@example.com'),
  'a bounce': inTransaction((trx) => recordBounce(trx, [{ id: 'w7', told_by: 'dsn', kind: 'refused', at: now }])),
  'known bounces': (store) => knownBounces(store, ['w7']),
  'addresses with accounts': (store) => addressesOfAccounts(store, ['e7@example.com']),
  'other emails of an account': (store) =>
    accountsTriedSince(store, { emails: [{ id: 'l7', account_id: 'a7', notice: 'recovery' }], since: now }),
  'emails to suppressed addresses': (store) => suppressedAmong(store, [{ recipient: 'e7@example.com' }]),
  'a proven address': (store) => proveEmail(store, { accountId: 'a7', at: now }),
  'what an operator gave before being shut out': inTransaction((trx) =>
    doubtGivenBy(trx, { accountId: 'a7', at: now }),
  ),
  'a reset link': (store) => findResetLink(store, { tokenHash: 'r7', now }),
  'a used reset link': inTransaction((trx) => resetLinks.use(trx, { token_hash: 'r7' }, now)),
  'a try of an emailed code': (store) =>
    takeMailCodeTries(store, { ids: ['m7', 'm8'], emailKey: 'e7@example.com', now }),
  'a used emailed code': inTransaction((trx) => mailCodes.use(trx, { id: 'm7' }, now)),
  'a passkey': (store) => findPasskey(store, 'k7'),
  'the passkeys of an account': (store) => passkeysOf(store, 'a7'),
  'the number of passkeys of an account': (store) => countPasskeys(store, 'a7'),
  'a challenge': (store) => challenges.find(store, { ...challenge, hash: 'g7', browser_hash: 'b7' }, now),
  'a used passkey': inTransaction(async (trx) => {
    await challenges.use(trx, { ...challenge, hash: 'g8', browser_hash: 'b8' }, now);
    await recordPasskeyUse(trx, { id: 'k7', counter: 1, backup_eligible: 1, backed_up: 1, last_used_at: now });
  }),
  'a call': (store) => findCall(store, 'c7'),
  'a repeated call': (store) => findRepeatedCall(store, { phone: '+497', attempt: 'a', now }),
  'a new call': inTransaction((trx) => beginCall(trx, { ...call, id: 'new', created_at: now, expires_at: now })),
  'a try of a call': (store) => takeTry(store, { id: 'c7', ways: ['ring'], now }),
  'a confirmed call': (store) => confirmCall(store, { id: 'c7', proof: 'proof', now }),
  'a try of a link': (store) => takeLinkTry(store, { id: 'c7', now }),
  'a link': (store) => isLinkAlive(store, { id: 'c7', now }),
  'confirmation rates by provider': (store) =>
    providerRates(store, { way: 'ring', country: 'DE', since: now - 10, now }),
  'providers without a confirmation': (store) => providersMissed(store, { phone: '+497', since: 0 }),
  'a computer by its token': (store) => findComputerByToken(store, 't7'),
  'two hundred parallel heartbeats': (store) =>
    Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        recordHeartbeat(store, {
          id: `p${at * 50}`,
          last_seen_at: now,
          signs: '1',
          history: '1',
          platform: 'linux',
          version: null,
          left_at: now,
          left_for: 'restart',
          returns_by: now,
          instances: '',
          address: null,
          readings: '',
          isDue: true,
        }),
      ),
    ),
  'an account’s computers': (store) => computersOf(store, 'a7'),
  'a computer of an account': (store) => computerOf(store, { id: 'p7', accountId: 'a7' }),
  'an account’s enrolment keys': (store) => enrolmentKeysOf(store, 'a7'),
  'an enrolment key': (store) => findEnrolmentKey(store, 'h7'),
  'a use of an enrolment key': inTransaction((trx) => useEnrolmentKey(trx, { id: 'k7', now })),
  'revoked enrolment keys': inTransaction((trx) => revokeEnrolmentKeys(trx, { accountId: 'a7', at: now })),
  'a used enrolment code': inTransaction((trx) => enrolments.use(trx, { code_hash: 'c7' }, now)),
  'a computer’s records': (store) => recordsOf(store, { accountId: 'a7', computerId: 'p7', limit: 50 }),
  'an account’s records': (store) => recordsOf(store, { accountId: 'a7', before: 'x', limit: 50 }),
  'an account’s records of a day': (store) => recordsOf(store, { accountId: 'a7', since: now, until: now, limit: 50 }),
  'an account’s records of a kind': (store) => recordsOf(store, { accountId: 'a7', kind: 'none', limit: 50 }),
  'a computer’s records of a kind': (store) =>
    recordsOf(store, { accountId: 'a7', computerId: 'p7', kind: 'none', limit: 50 }),
  'a computer’s newest warning': (store) =>
    newestOf(store, { computerId: 'p7', kinds: ['disk_low', 'disk_enough'], limit: 1 }),
  'a hundred new records': inTransaction((trx) =>
    addRecords(
      trx,
      Array.from({ length: 100 }, (_, at) => ({
        ...{ seq: seqOf(now, at), account_id: 'a7', computer_id: 'p7', id: `new ${at}` },
        ...{ at: now, kind: 'start', text: '' },
      })),
    ),
  ),
  'trimmed records': inTransaction((trx) => trimRecords(trx, { computerId: 'p7', added: 500, max: 100 })),
  'the number of an account’s computers': (store) => countComputers(store, 'a7'),
  'a removed computer': (store) => removeComputer(store, { id: 'p8', accountId: 'a8' }),
  'the newest record of each computer of an account': (store) => newestRecordsOf(store, 'a7'),
  'notifications marked as read': (store) => readAllNotifications(store, { accountId: 'a7', at: now }),
  'an account’s notifications': (store) => notificationsOf(store, { accountId: 'a7', limit: 50 }),
  'notifications of an incident marked as read': (store) =>
    readAllNotifications(store, { accountId: 'a7', incidentId: 'i7', at: now }),
  'notifications that follow an incident': inTransaction((trx) =>
    followMembers(trx, { id: 'i7', account_id: 'a7', kind: 'computer_silent' }),
  ),
  'a notification that is read': (store) => readNotification(store, { id: firstIdOf(now), accountId: 'a7', at: now }),
  'unread notifications': (store) => countUnread(store, 'a7'),
  'the version of an account’s computers': (store) => versionOfComputers(store, 'a7'),
  'the version of one of them': (store) => versionOfComputers(store, 'a7', 'p7'),
  'due alarms': (store) => dueAlarms(store, { now: now + 100, max: 500 }),
  'two hundred due alarms of an account': inTransaction((trx) =>
    lockDueAlarms(trx, { ids: Array.from({ length: 200 }, (_, at) => `p${at * 50}`), now: now + rows }),
  ),
  'rescheduled alarms': (store) =>
    rescheduleAlarms(
      store,
      Array.from({ length: 200 }, (_, at) => ({
        ...{ id: `p${at * 50}`, alarm_check_at: now, alarm_silent_at: null, alarm_warnings: '', ...evaluated },
        read: { alarm_check_at: now, warnings: '' },
      })),
    ),
  'saved alarms': inTransaction((trx) =>
    saveAlarms(
      trx,
      Array.from({ length: 200 }, (_, at) => ({
        ...{ id: `p${at * 50}`, alarm_check_at: now, alarm_silent_at: null, alarm_warnings: '', ...evaluated },
      })),
    ),
  ),
  'what owners chose about their alarms': (store) => alarmPlansOf(store, ['a7', 'a70']),
  'alarms made due': inTransaction((trx) => makeAlarmsOfAccountDue(trx, 'a7')),
  'rules applied to open incidents': inTransaction((trx) => applyRules(trx, { accountId: 'a9', at: now })),
  'rules applied to a computer': inTransaction((trx) =>
    applyRules(trx, { accountId: 'a9', at: now, computerId: 'p9' }),
  ),
  'an application': (store) => findClient(store, 'q7'),
  'the secrets of an application': (store) => listClientSecrets(store, 'q7'),
  'the groups of an account': (store) => groupsOf(store, 'a7'),
  'a code or token of an application': (store) => findRecord(store, { key: 'k7', now }),
  'a device code': (store) => findRecordByUserCode(store, { userCode: 'u7', now }),
  'a stored code': (store) => saveRecord(store, record('n1')),
  'a stored refresh token': (store) => addRecord(store, record('n2')),
  'a used code': (store) => consumeRecord(store, { key: 'k7', parents: [], now }),
  'a used refresh token': (store) => consumeRecord(store, { key: 'k7', parents: ['k8'], now }),
  'the tokens of a grant': (store) => payloadsOfGrant(store, { grantId: 'g7', now }),
  'a repeated refresh token': (store) => consumeAgain(store, { key: 'k7', now }),
  'a decision of a user': (store) => replacePayload(store, { key: 'k8', from: '{}', to: '{ }', grantId: null }),
  'a finished request of an application': (store) => removeRecord(store, 'k9'),
  'what commands did': (store) => listAuditEntries(store, { actorKind: 'command', max: 50 }),
  'views and settings': async (store) => {
    for (const kind of ['views', 'settings'] as const)
      await listAuditEntries(store, { actions: actionsOf(kind), before: 'u7', max: 50 });
  },
  'what was done since a time': (store) => listAuditEntries(store, { since: rows - 7, max: 50 }),
  'where an export begins': (store) => positionBefore(store, rows - 7),
  'a view that is recorded': (store) =>
    hasRecentEntry(
      store,
      { account_id: 'a7', action: 'account_viewed', actor: 'k', origin: '::1', reason: null },
      { now: 7, within: 7 },
    ),
  'what commands did to an account': (store) =>
    listAuditEntries(store, { actorKind: 'command', accountId: 'a7', max: 50 }),
  'a grant and its session': (store) => findGrant(store, { id: 'g7', now }),
  'the grant of a session': (store) => findGrantOfSession(store, { sessionId: 's7', clientId: 'q7' }),
  'a changed grant': (store) =>
    extendGrant(store, { id: 'g7', scopes: 'openid', resources: '{}', offline: 0, expires_at: now + 7 }),
  'a late response to an application': (store) => countLateResponse(store, { id: 'g7', max: 3 }),
  'grants that move to a new session': (store) => moveGrants(store, { from: 's7', to: 's8', accountId: 'a7' }),
  'what an account allows an application': (store) => findConnection(store, { accountId: 'a7', clientId: 'q7' }),
  'an allowed application': (store) =>
    connectClient(store, { accountId: 'a7', clientId: 'q7', scopes: 'openid', resources: '{}', at: now }),
  'the use of an application': (store) => recordUse(store, { accountId: 'a7', clientId: 'q7', at: now }),
  'the applications of an account': (store) => connectionsOfAccount(store, { accountId: 'a7', max: 100 }),
  'a disconnected application': (store) => disconnectClient(store, { accountId: 'a7', clientId: 'q7' }),
  'the end of a grant': inTransaction((trx) => endGrant(trx, 'g17', { at: now })),
  'the end of a session’s grants': inTransaction((trx) =>
    endGrantsOfSession(trx, { sessionId: 's18', at: now, keepsOffline: true }),
  ),
  'the end of a session’s grants for a reason': inTransaction((trx) =>
    endGrantsOfSession(trx, { sessionId: 's21', at: now, keepsOffline: false }),
  ),
  'the credentials from new devices': (store) =>
    credentialSessionsOnNewDevices(store, { accountId: 'a7', since: now - 1000 }),
  'a page of activity': (store) => listActivity(store, { accountId: 'a7', before: firstIdOf(now), limit: 50 }),
  'recent visits': (store) => recentVisits(store, { limit: 50 }),
  'the activity of a deleted account': (store) => store.deleteFrom('activity').where('account_id', '=', 'a8').execute(),
  'the last reset of an account': (store) =>
    lastActivity(store, { accountId: 'a7', kinds: ['password_reset'], now, within: 1000 }),
  'remembered devices of an ended session': inTransaction((trx) =>
    forgetRememberedOf(trx, { accountId: 'a7', sessions: 'one', session: 's7' }),
  ),
  'the end of an account’s grants': inTransaction((trx) =>
    endGrantsOfAccount(trx, { accountId: 'a19', exceptSession: 's7', at: now }),
  ),
  'the end of an application’s grants for an account': inTransaction((trx) =>
    endGrantsOfClient(trx, { accountId: 'a20', clientId: 'q20', at: now }),
  ),
  'a claim of notices': (store) => logoutQueue.claim(store, { lane: 'q7', ...terms, now: now * 2 }),
  'notices after a clock was set back': (store) => logoutQueue.shift(store, { by: 1000, now: now * 2 }),
  'notices at startup': (store) => logoutQueue.endOutdatedPauses(store, { now: now * 2, longestPause: 1000 }),
  'an accepted notice': (store) => logoutQueue.done(store, { id: 'l7' }, now),
  'a code of the guard': async (store) => {
    const code = { client_id: 'app', origin: 'https://app.example', nonce_hash: 'h7' };
    await forwardAuthCodes.add(store, { ...code, hash: 'f0', session_id: 's7', created_at: now });
    await forwardAuthCodes.find(store, { hash: 'f0' }, now);
  },
  'a recorded event': inTransaction((trx) => {
    subscribe(trx, [{ id: 'r0', events: ['account.changed'] }]);
    return recordEvent(trx, { type: 'account.changed', accountId: 'a7', at: now });
  }),
  'a delivered webhook': (store) => webhookQueue.done(store, { id: 'w1000' }, now),
  'a postponed webhook': (store) =>
    webhookQueue.postpone(store, { id: 'w2000', leased_until: 0 }, { dueAt: now, error: 'HTTP 500' }),
  'webhooks after a clock was set back': (store) => webhookQueue.shift(store, { by: 1000, now }),
  'webhooks at startup': (store) => webhookQueue.endOutdatedPauses(store, { now, longestPause: 1000 }),
  'a page of jobs': (store) => listJobs(store, { before: 'j7', max: 20 }),
  'the reason of a job': (store) =>
    reasonAmong(store, { accountIds: ['a7'], action: 'account_locked', actor: 'k', since: 0, until: now }),
  'the backlog of webhooks': (store) => webhookQueue.backlog(store, ['r0', 'r1']),
  'webhooks given up lately': (store) => givenUpDeliveries(store, { receivers: ['r0'], since: now - 1000 }),
  'a page of accounts': (store) =>
    accountsWhere(store, { filter: { since: now }, after: { created_at: now, id: 'a7' }, limit: 100 }),
  'the clean-up': (store) =>
    cleanUp(store, { now: 0, activityKept: 0, others: outdatedOfDevices({ now: 0, recordsKept: 0 }) }),
};

describe.each(engines)('no full scan of a large table on %s:', (engine) => {
  test.each(Object.entries(hot))('%s', async (_name, ask) => {
    const statements = await statementsOf(engine, ask);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements)
      expect([statement.sql, await scanned(engine, statement)]).toEqual([statement.sql, []]);
  });
});

describe.each(engines)('on %s', (engine) => {
  const asked = (email: string, deviceHash: string | undefined) =>
    statementsOf(engine, (store) => findSignInState(store, { emailKey: email, emailHash: email, deviceHash, now }));

  test.each([
    ['no device', undefined],
    ['an unknown device', 'd0'],
    ['a device of someone else', 'd9'],
  ])('statements do not reveal whether an account exists, with %s', async (_name, deviceHash) => {
    const known = await asked('e7@example.com', deviceHash);
    const unknown = await asked('x7@example.com', deviceHash);
    expect(known.map(({ sql: text }) => text)).toEqual(unknown.map(({ sql: text }) => text));
    expect(known.length).toBe(1);
  });
});

test.each([
  [{ kind: 'none' }, 'records_kind'],
  [{ kind: 'none', before: 'x' }, 'records_kind'],
  // The records of one computer are bounded; an account may have any number of a common kind.
  [{ kind: 'common', computerId: 'p7' }, 'records_computer'],
  [{ computerId: 'p7' }, 'records_computer'],
  [{}, 'records_account'],
  [{ since: 0, until: 1 }, 'records_account'],
])('a search for records %j uses %s', async (wanted, index) => {
  expect(await indexesOf((store) => recordsOf(store, { accountId: 'a7', limit: 50, ...wanted }))).toEqual([index]);
});

/** The indexes that SQLite uses for a statement, in the order of its plan. */
async function indexesOf(ask: (store: Store) => Promise<unknown>) {
  const [statement] = await statementsOf('sqlite', ask);
  const { store } = await plansOf('sqlite');
  const explain = { sql: `explain query plan ${statement?.sql}`, parameters: statement?.parameters } as CompiledQuery;
  const { rows } = await store.executeQuery<{ detail: string }>(explain);
  return rows.flatMap(({ detail }) => /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1] ?? []);
}

test('a search of the audit log since a time reads nothing from before', async () => {
  const listed = await indexesOf((store) => listAuditEntries(store, { since: rows - 7, max: 50 }));
  expect(listed).toEqual(['sqlite_autoindex_audit_log_1', 'audit_log_at']);
  expect(await indexesOf((store) => positionBefore(store, rows - 7))).toEqual(['audit_log_at']);
});

test('the clean-up covers every table that only grows', async () => {
  const { store } = await plansOf('sqlite');
  const { rows: tables } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(
    store,
  );
  const kept = [
    'account_groups',
    'accounts',
    'alarm_channels',
    'alarm_plans',
    'alarm_watch',
    // Only operators and the retention of the log add rows; `shortenAuditLog` removes entries.
    'audit_log',
    'audit_checkpoints',
    'authenticators',
    'client_secrets',
    'clients',
    'computers',
    'connected_clients',
    'consents',
    // Deleted with their incident.
    'incident_members',
    'keys',
    'promo_codes',
    'recovery_codes',
    // Regular jobs and searches take notes of changes away.
    'search_changes',
    'search_keys',
    'second_step_removals',
    'settings_seen',
    'stored_receivers',
    'webhook_receivers',
    'write_probes',
    'kysely_migration',
    'oldest_code',
    'operator_keys',
    'operator_notes',
    'operator_sessions',
    'operators',
    'passkeys',
    'passkey_users',
  ];
  const growing = tables.map(({ name }) => name).filter((name) => !kept.includes(name));
  expect(
    new Set(
      outdated({ now, activityKept: 0, others: outdatedOfDevices({ now, recordsKept: 0 }) }).map(({ table }) => table),
    ),
  ).toEqual(new Set(growing));
});
