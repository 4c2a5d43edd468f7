import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { days } from '../../contract/durations.ts';
import { migratedDatabase, withLongTimeouts, withPostgres } from '../../testing/databases/databases.ts';
import { onFileEnd } from '../../testing/file-cleanup.ts';
import { accountVersion } from '../accounts/account-version.ts';
import { listActivity, recentVisits } from '../accounts/activity-log.ts';
import { countUnread, notificationsOf, readAllNotifications, readNotification } from '../accounts/notifications.ts';
import { cleanUp } from '../clean-up.ts';
import { addRecords, newestRecordsOf, recordsOf, seqOf, trimRecords } from '../computers/records.ts';
import type { Database, Store } from '../database.ts';
import { firstIdOf } from '../ordered-id.ts';
import { openPool } from '../postgres/pool.ts';
import { partitionTables } from './partition-tables.ts';

const begin = Date.UTC(2026, 10, 15);
const now = Date.UTC(2027, 5, 15);
const rowsPerMonth = 3000;

let opened: Promise<{ store: Store; seen: CompiledQuery[] }> | undefined;

/** A database with rows in eight months, which records each statement. */
function filled() {
  opened ??= fill();
  return opened;
}

async function fill() {
  const { databaseUrl: url = '' } = await migratedDatabase('postgres');
  const seen: CompiledQuery[] = [];
  const dialect = new PostgresDialect({ pool: openPool({ url, size: 5, ...withLongTimeouts }) });
  const store: Store = new Kysely<Database>({ dialect, log: ({ query }) => void seen.push(query) });
  onFileEnd(() => store.destroy());
  await partitionTables(store, begin);
  const n = sql`generate_series(1, ${sql.lit(rowsPerMonth)}) as n`;
  await sql`insert into accounts (id, email, email_key, name, phone, locale, password_hash, password_changed_at, created_at)
    select 'a' || n, 'e' || n, 'e' || n, 'Anna', '+49', 'de', 'hash', 0, 0 from ${n}`.execute(store);
  await sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
    select 'p' || n, 'a' || n, 'Office', 'linux', 't' || n, n, n, '1' from ${n}`.execute(store);
  for (let at = begin; at < now; at += days(30)) {
    await cleanUp(store, { now: at, activityKept: days(900), recordsKept: days(900) });
    const id = sql`substr(${firstIdOf(at)}, 1, 24) || lpad(to_hex(n), 12, '0')`;
    await sql`insert into activity select ${id}, 'a' || n, ${at}, 'signed_in', '::1', 'browser' from ${n}`.execute(
      store,
    );
    await sql`insert into notifications select ${id}, 'a' || n, ${at}, 'computer_added', 'Office' from ${n}`.execute(
      store,
    );
    await sql`insert into records
      select ${id}, 'a' || n, 'p' || n, ${`${at}`} || n, ${at}, 'start', 'It runs.' from ${n}`.execute(store);
  }
  await sql`analyze`.execute(store);
  return { store, seen };
}

const record = { account_id: 'a7', computer_id: 'p7', at: now, kind: 'start', text: '' };

const hot: readonly [string, (store: Store) => Promise<unknown>][] = [
  ['a page of activity', (store) => listActivity(store, { accountId: 'a7', before: firstIdOf(now), limit: 50 })],
  ['recent visits', (store) => recentVisits(store, { limit: 50 })],
  ['an account’s records', (store) => recordsOf(store, { accountId: 'a7', before: firstIdOf(now), limit: 50 })],
  [
    'an account’s records of a day',
    (store) => recordsOf(store, { accountId: 'a7', since: begin, until: now, limit: 50 }),
  ],
  ['an account’s records of a kind', (store) => recordsOf(store, { accountId: 'a7', kind: 'none', limit: 50 })],
  ['a computer’s records', (store) => recordsOf(store, { accountId: 'a7', computerId: 'p7', limit: 50 })],
  ['the newest record of each computer', (store) => newestRecordsOf(store, 'a7')],
  [
    'a hundred new records',
    (store) => {
      const batch = Array.from({ length: 100 }, (_, at) => ({ ...record, seq: seqOf(now, at), id: `new ${at}` }));
      return store.transaction().execute((trx) => addRecords(trx, batch));
    },
  ],
  [
    'trimmed records',
    (store) => store.transaction().execute((trx) => trimRecords(trx, { computerId: 'p7', added: 500, most: 100 })),
  ],
  ['an account’s notifications', (store) => notificationsOf(store, { accountId: 'a7', limit: 50 })],
  ['unread notifications', (store) => countUnread(store, 'a7')],
  ['a notification that is read', (store) => readNotification(store, { id: firstIdOf(now), accountId: 'a7', at: now })],
  ['notifications marked as read', (store) => readAllNotifications(store, { accountId: 'a7', at: now })],
  ['the version of an account', (store) => accountVersion(store, 'a7')],
  ['the rows of a deleted account', (store) => sql`delete from activity where account_id = ${'a8'}`.execute(store)],
  ['the clean-up', (store) => cleanUp(store, { now: begin + days(20), activityKept: 0, recordsKept: 0 })],
];

describe.runIf(withPostgres)('statements that never scan a partition with rows:', () => {
  test.each(hot)('%s', async (_, ask) => {
    const { store, seen } = await filled();
    seen.length = 0;
    await ask(store);
    const statements = seen.filter(
      ({ sql: text }) =>
        /\b(?:activity|records|notifications)(?:_\w+)?"?\b/.test(text) &&
        /\b(?:select|insert|update|delete)\b/.test(text) &&
        !/pg_|lock_timeout/.test(text),
    );
    expect(statements.length).toBeGreaterThan(0);
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class where reltuples > 0`.execute(
      store,
    );
    const withRows = new Set(rows.map(({ name }) => name));
    for (const { sql: text, parameters } of statements) {
      const plans = await Promise.all([
        store.executeQuery({ sql: `explain ${text}`, parameters } as unknown as CompiledQuery),
        sql.raw(`explain (generic_plan) ${text}`).execute(store),
      ]);
      const lines = plans.flatMap((plan) => plan.rows.map((row) => String(Object.values(row as object)[0])));
      const scanned = lines.flatMap((line) => /Seq Scan on (\w+)/.exec(line)?.[1] ?? []);
      expect([text, scanned.filter((name) => withRows.has(name))]).toEqual([text, []]);
    }
  });
});
