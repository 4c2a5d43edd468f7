import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { days } from '../contract/units.ts';
import { outdatedOfDevices } from '../devices/account-part.ts';
import { addRecords, recordsOf, seqOf } from '../devices/store/records.ts';
import { migratedDatabase, openTestStore, storePerson, withPostgres } from '../testing/databases/databases.ts';
import { listActivity } from './accounts/activity-log.ts';
import { cleanUp } from './clean-up.ts';
import { firstIdOf, type Store } from './database.ts';
import { createIndexOnline } from './migrations/online.ts';
import { missingPartitions } from './partitions.ts';

const november = Date.UTC(2026, 10, 23);
/** The first millisecond of a month, counted from January 2027. */
const month = (number: number) => Date.UTC(2027, number);
const clean = (store: Store, now: number, kept = days(365)) =>
  cleanUp(store, { now, activityKept: kept, others: outdatedOfDevices({ now, recordsKept: kept }) });

/** A database with partitions from November 2026 to January 2027. */
async function openPartitioned() {
  const database = await migratedDatabase('postgres');
  const store = openTestStore(database);
  await clean(store, november);
  return { database, store, ...(await openRows(store)) };
}

const named = (table: string, ...months: string[]) => [...months, 'default'].map((name) => `${table}_${name}`);
const timesIn = async (store: Store, table: 'activity' | 'records'): Promise<number[]> =>
  (await store.selectFrom(table).select('at').orderBy('at').execute()).map(({ at }) => at);

describe.runIf(withPostgres)('the clean-up of partitioned tables', () => {
  test('begins with this month and two more, and moves the rows of the time before it', async () => {
    const store = openTestStore(await migratedDatabase('postgres'));
    const { act, report } = await openRows(store);
    await act(november);
    await report({ id: 'a', at: november });
    expect(await missingPartitions(store, november)).toEqual([]);
    await clean(store, november);
    for (const table of ['activity', 'notifications', 'records'])
      expect(await partitionNames(store, table)).toEqual(named(table, '2026_11', '2026_12', '2027_01'));
    const { rows } = await sql`select from only activity_2026_11 union all select from only records_2026_11`.execute(
      store,
    );
    expect(rows).toHaveLength(2);
  });

  test('creates the coming months, and drops a month once all of it is outdated, and not a millisecond earlier', async () => {
    const { store, act } = await openPartitioned();
    await clean(store, month(2));
    const edges = [month(0) - 1, month(0), month(1) - 1, month(1), month(2) - 1];
    for (const at of edges) await act(at);
    expect(await partitionNames(store, 'activity')).toEqual(
      named('activity', '2026_11', '2026_12', '2027_01', '2027_03', '2027_04', '2027_05'),
    );
    await clean(store, month(1) - 1 + days(90), days(90));
    expect(await timesIn(store, 'activity')).toEqual(edges.slice(2));
    expect(await partitionNames(store, 'activity')).toContain('activity_2027_01');
    await clean(store, month(1) + days(90), days(90));
    expect(await timesIn(store, 'activity')).toEqual(edges.slice(3));
    expect(await partitionNames(store, 'activity')).not.toContain('activity_2027_01');
  });

  test('deletes row by row what is outdated in a month that stays, and nothing in others', async () => {
    const { store, act } = await openPartitioned();
    await clean(store, month(0));
    // The first rows of each partition have the same ctids.
    const times = [0, 1, 2].flatMap((number) => [month(number), month(number) + days(14)]);
    for (const at of times) await act(at);
    expect(await clean(store, month(1) + days(7), days(30))).toBe(1);
    expect(await timesIn(store, 'activity')).toEqual(times.slice(1));
  });

  test('may run on several nodes at once', async () => {
    const { database, store, act } = await openPartitioned();
    const nodes = [store, openTestStore(database), openTestStore(database), openTestStore(database)];
    for (let number = 0; number < 14; number += 1) {
      await act(month(number));
      await Promise.all(nodes.map((node) => clean(node, month(number) + days(1), days(60))));
    }
    await clean(store, month(13) + days(1), days(60));
    expect(await timesIn(store, 'activity')).toEqual([month(12), month(13)]);
    expect(await partitionNames(store, 'activity')).toEqual(
      named('activity', '2027_12', '2028_01', '2028_02', '2028_03', '2028_04'),
    );
  });

  test('moves rows that came before their month from the default partition', async () => {
    const { store, act, report, account } = await openPartitioned();
    const times = [month(5), month(5) + 1, month(9)];
    for (const at of times) {
      await act(at);
      await report({ id: `${at}`, at });
    }
    await clean(store, month(4));
    expect(await timesIn(store, 'activity')).toEqual(times);
    const { rows } = await sql<{ at: number }>`select at from only activity_2027_06 order by at`.execute(store);
    expect(rows.map(({ at }) => at)).toEqual(times.slice(0, 2));
    expect(await report({ id: `${month(5)}`, at: month(5) })).toBe(0);
    const page = await listActivity(store, { accountId: account, before: undefined, limit: 2 });
    expect(page.map(({ at }) => at)).toEqual([month(9), month(5) + 1]);
  });

  test('leaves a month in the default partition that has many of its rows, and continues with the next', async () => {
    const { store, act } = await openPartitioned();
    await act(month(5));
    await sql`insert into activity select overlay(id placing lpad(to_hex(n), 12, '0') from 25), account_id, at, kind, ip, user_agent
      from activity, generate_series(1, 10_000) as n`.execute(store);
    await clean(store, month(4));
    expect(await partitionNames(store, 'activity')).not.toContain('activity_2027_06');
    expect(await partitionNames(store, 'activity')).toContain('activity_2027_07');
    expect(await missingPartitions(store, month(4))).toEqual(['activity_2027_06']);
    expect(await clean(store, month(6) + days(30), days(30))).toBe(10_001);
    await clean(store, month(7));
    expect(await partitionNames(store, 'activity')).toContain('activity_2027_10');
  });

  test('gives way to a session that uses the table, and catches up later', async () => {
    const { database, store, act } = await openPartitioned();
    await act(month(0));
    await openTestStore(database)
      .transaction()
      .execute(async (trx) => {
        await sql`select from activity limit 1`.execute(trx);
        await clean(store, month(4), days(30));
      });
    expect(await partitionNames(store, 'activity')).toContain('activity_2027_01');
    expect(await timesIn(store, 'activity')).toEqual([month(0)]);
    await clean(store, month(4), days(30));
    expect(await timesIn(store, 'activity')).toEqual([]);
    expect(await partitionNames(store, 'activity')).toEqual(named('activity', '2027_05', '2027_06', '2027_07'));
  });

  test('never waits for a request that goes on to use other tables: that would be a deadlock', async () => {
    const { database, store, account } = await openPartitioned();
    let cleaning: Promise<unknown> | undefined;
    const writer = openTestStore(database);
    for (let number = 0; number < 6; number += 1) {
      await writer.transaction().execute(async (trx) => {
        await sql`select from accounts where id = ${account} for update`.execute(trx);
        cleaning = clean(store, month(number * 3), days(30));
        await trx
          .insertInto('activity')
          .values({ id: `n${number}`, account_id: account, at: 0, kind: 'signed_in', ip: '::1', user_agent: '' })
          .execute();
        await sql`update accounts set name = 'Ada' where id = ${account}`.execute(trx);
      });
      await cleaning;
    }
  });
});

describe.runIf(withPostgres)('partitioned tables', () => {
  test('keep pages and filters of records in order across months', async () => {
    const { store, report, account, computer } = await openPartitioned();
    await clean(store, month(2));
    const times = [-40, -1, 0, 1, 31, 32, 59, 60, 75].map((day) => month(0) + days(day));
    for (const at of times.toReversed()) await report({ id: `${at}`, at });
    const read = async (filter: object) =>
      (await recordsOf(store, { accountId: account, limit: 50, ...filter })).map(({ at }) => at);
    expect(await read({})).toEqual(times.toReversed());
    expect(await read({ computerId: computer, kind: 'start' })).toEqual(times.toReversed());
    expect(await read({ since: times[2], until: times[6] })).toEqual(times.slice(2, 6).toReversed());
    const paged: number[] = [];
    for (let before: string | undefined; ; ) {
      const page = await recordsOf(store, { accountId: account, limit: 2, before });
      paged.push(...page.map(({ at }) => at));
      before = page.at(-1)?.seq;
      if (page.length < 2) break;
    }
    expect(paged).toEqual(times.toReversed());
  });

  test('store a record once, whatever its time when it is repeated', async () => {
    const { store, report } = await openPartitioned();
    await clean(store, month(0));
    const [december, january] = [Date.UTC(2026, 11, 31, 23, 59), Date.UTC(2027, 0, 1, 0, 1)];
    expect(await report({ id: 'a', at: december }, { id: 'a', at: january })).toBe(1);
    expect(await report({ id: 'a', at: january }, { id: 'b', at: january })).toBe(1);
    expect(await report({ id: 'b', at: december }, { id: 'a', at: december })).toBe(0);
    const parallel = Array.from({ length: 8 }, () => report({ id: 'c', at: january }, { id: 'd', at: december }));
    const added = await Promise.all(parallel);
    expect(added.reduce((sum, count) => sum + count)).toBe(2);
  });

  test('lose an account’s rows of all months with the account', async () => {
    const { store, ...rows } = await openPartitioned();
    const other = await openRows(store);
    for (const { report, act, notice } of [rows, other])
      for (const at of [november, month(0), Date.UTC(2030, 5)])
        await Promise.all([report({ id: `${at}`, at }), act(at), notice(at)]);
    await store.deleteFrom('accounts').where('id', '=', rows.account).execute();
    const { rows: left } = await sql`select account_id from activity union all select account_id from notifications
      union all select account_id from records`.execute(store);
    expect(left).toEqual(Array.from({ length: 9 }, () => ({ account_id: other.account })));
  });
});

describe.runIf(withPostgres)('a migration of a partitioned table', () => {
  const index = { name: 'records_at', on: 'records (computer_id, at)' };
  const indexed = async (store: Store) => {
    const { rows } = await sql<{ name: string }>`select indrelid::regclass::text as name from pg_index
      where indisvalid and pg_get_indexdef(indexrelid) like '%(computer_id, at)' order by name`.execute(store);
    return rows.map(({ name }) => name);
  };
  const partitions = named('records', '2026_11', '2026_12', '2027_01');
  const later = named('records', '2026_11', '2026_12', '2027_01', '2027_02', '2027_03');

  test('creates an index on each partition while requests write, also on later ones', async () => {
    const { database, store, report } = await openPartitioned();
    let creating: Promise<void> | undefined;
    await openTestStore(database)
      .transaction()
      .execute(async (trx) => {
        // `concurrently` waits for this transaction; without it, the next record would wait for the index.
        await sql`select from records limit 1`.execute(trx);
        creating = createIndexOnline(store, index);
        for (let at = 0; at < 20; at += 1) await report({ id: `${at}`, at: november });
      });
    await creating;
    expect(await indexed(store)).toEqual(['records', ...partitions]);
    await createIndexOnline(store, index);
    await clean(store, month(0));
    expect(await indexed(store)).toEqual(['records', ...later]);
  });

  test('continues after an interruption, also if a month begins in between', async () => {
    const { store } = await openPartitioned();
    // What remains if the process is killed in the middle.
    await sql`create index records_at on only records (computer_id, at)`.execute(store);
    await sql`create index records_default_records_at on records_default (computer_id, at)`.execute(store);
    await sql`update pg_index set indisvalid = false where indexrelid = 'records_default_records_at'::regclass`.execute(
      store,
    );
    await clean(store, month(0));
    await createIndexOnline(store, index);
    expect(await indexed(store)).toEqual(['records', ...later]);
  });
});

/** Adds an account with a computer to a store; returns functions that add rows of any time (ms since the epoch). */
async function openRows(store: Store) {
  const [{ id: account }, computer] = [await storePerson(store), randomUUID()];
  await sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
    values (${computer}, ${account}, 'Office', 'linux', ${computer}, 0, 0, '1')`.execute(store);
  const idAt = (at: number) => `${firstIdOf(at).slice(0, 24)}${randomUUID().slice(24)}`;
  return {
    account,
    computer,
    /** Sends records to the store as the computer does; returns how many were new. */
    report: (...records: readonly { readonly id: string; readonly at: number }[]) =>
      store.transaction().execute((trx) =>
        addRecords(
          trx,
          records.map(({ id, at }, place) => ({
            ...{ seq: seqOf(at, place), account_id: account, computer_id: computer },
            ...{ id, at, kind: 'start', text: 'It runs.' },
          })),
        ),
      ),
    act: (at: number) =>
      store
        .insertInto('activity')
        .values({ id: idAt(at), account_id: account, at, kind: 'signed_in', ip: '::1', user_agent: '' })
        .execute(),
    notice: (at: number) =>
      store
        .insertInto('notifications')
        .values({ id: idAt(at), account_id: account, at, kind: 'computer_added', name: '', read_at: null })
        .execute(),
  };
}

/** The names of a table's partitions. */
async function partitionNames(store: Store, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
    join pg_class on pg_class.oid = inhrelid where inhparent = to_regclass(${table}) order by name`.execute(store);
  return rows.map(({ name }) => name);
}
