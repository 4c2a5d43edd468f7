import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { days } from '../../contract/durations.ts';
import {
  migratedDatabase,
  type TestDatabase,
  withLongTimeouts,
  withPostgres,
} from '../../testing/databases/databases.ts';
import { openRows, partitionNames } from '../../testing/databases/partitioned-rows.ts';
import { listActivity } from '../accounts/activity-log.ts';
import { cleanUp } from '../clean-up.ts';
import { recordsOf } from '../computers/records.ts';
import { openStore, type Store } from '../database.ts';
import { partitionTables } from './partition-tables.ts';

const november = Date.UTC(2026, 10, 23);
/** The first millisecond of a month, counted from January 2027. */
const month = (number: number) => Date.UTC(2027, number);
const clean = (store: Store, now: number, kept = days(365)) =>
  cleanUp(store, { now, activityKept: kept, recordsKept: kept });

function open(database: TestDatabase): Store {
  const store = openStore(database, withLongTimeouts);
  onTestFinished(() => store.destroy());
  return store;
}

/** A database with partitions from January 2027 on. */
async function openPartitioned() {
  const database = await migratedDatabase('postgres');
  const store = open(database);
  await partitionTables(store, november);
  return { database, store, ...(await openRows(store)) };
}

const timesIn = async (store: Store, table: 'activity' | 'records'): Promise<number[]> =>
  (await store.selectFrom(table).select('at').orderBy('at').execute()).map(({ at }) => at);

describe.runIf(withPostgres)('the clean-up of partitioned tables', () => {
  test('creates the coming months, and drops a month once all of it is outdated, and not a millisecond earlier', async () => {
    const { store, act } = await openPartitioned();
    await clean(store, month(2));
    const edges = [month(0) - 1, month(0), month(1) - 1, month(1), month(2) - 1];
    for (const at of edges) await act(at);
    const from = (first: string, ...later: string[]) => [...later, first, 'default'].map((name) => `activity_${name}`);
    expect(await partitionNames(store, 'activity')).toEqual(
      from('before_2027_01', ...['2027_01', '2027_03', '2027_04', '2027_05']),
    );
    expect(await clean(store, month(1) - 1 + days(90), days(90))).toBe(1);
    expect(await timesIn(store, 'activity')).toEqual(edges.slice(2));
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
    const nodes = [store, open(database), open(database), open(database)];
    for (let number = 0; number < 14; number += 1) {
      await act(month(number));
      await Promise.all(nodes.map((node) => clean(node, month(number) + days(1), days(60))));
    }
    await clean(store, month(13) + days(1), days(60));
    expect(await timesIn(store, 'activity')).toEqual([month(12), month(13)]);
    const names = ['2027_12', '2028_01', '2028_02', '2028_03', '2028_04', 'default'];
    expect(await partitionNames(store, 'activity')).toEqual(names.map((name) => `activity_${name}`));
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
    const [activity] = await partitionTables(store, month(4));
    expect(activity).toEqual({ table: 'activity', converted: false, created: [], left: ['activity_2027_06'] });
    expect(await clean(store, month(6) + days(30), days(30))).toBe(10_001);
    await clean(store, month(7));
    expect(await partitionNames(store, 'activity')).toContain('activity_2027_10');
  });

  test('gives way to a session that uses the table, and catches up later', async () => {
    const { database, store, act } = await openPartitioned();
    await act(month(0));
    await open(database)
      .transaction()
      .execute(async (trx) => {
        await sql`select from activity limit 1`.execute(trx);
        await clean(store, month(4), days(30));
      });
    expect(await partitionNames(store, 'activity')).toContain('activity_2027_01');
    expect(await timesIn(store, 'activity')).toEqual([month(0)]);
    await clean(store, month(4), days(30));
    expect(await timesIn(store, 'activity')).toEqual([]);
    expect(await partitionNames(store, 'activity')).toEqual(
      ['2027_05', '2027_06', '2027_07', 'default'].map((name) => `activity_${name}`),
    );
  });

  test('keeps pages and filters of records in order across months', async () => {
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
});
