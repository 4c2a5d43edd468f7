import { type Kysely, sql } from 'kysely';
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
import { notificationsOf } from '../accounts/notifications.ts';
import { cleanUp } from '../clean-up.ts';
import { recordsOf } from '../computers/records.ts';
import { type Database, openStore, type Statement, type Store } from '../database.ts';
import { migrate } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import { firstIdOf } from '../ordered-id.ts';
import { partitionTables } from './partition-tables.ts';

const now = Date.UTC(2026, 10, 23);
const retention = { activityKept: days(365), recordsKept: days(30) };

function open(database: TestDatabase): Store {
  const store = openStore(database, withLongTimeouts);
  onTestFinished(() => store.destroy());
  return store;
}

/** Everything in the three tables. */
async function stateOf(store: Store) {
  const { rows } = await sql<{ rows: string }>`
    select concat_ws(' ', 'activity', id, account_id, at, kind) as rows from activity
    union all select concat_ws(' ', 'notification', id, account_id, at, kind) from notifications
    union all select concat_ws(' ', 'record', seq, account_id, computer_id, id, at) from records
    order by 1`.execute(store);
  return rows.map((row) => row.rows);
}

/** A store that fails with its nth statement, as if the process was killed before it. */
function interruptedAt(store: Store, nth: number): Kysely<Database> {
  let statements = 0;
  return store.withPlugin({
    transformQuery({ node }) {
      statements += 1;
      if (statements === nth) throw new Error('interrupted');
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
}

describe.runIf(withPostgres)('vestibule partition', () => {
  test('loses and duplicates nothing while others read and write', async () => {
    const database = await migratedDatabase('postgres');
    const [store, reader] = [open(database), open(database)];
    const failed: string[] = [];
    const onStatement = (statement: Statement) => {
      if (statement.failed) failed.push(statement.sql);
    };
    const writer = openStore(database, { ...withLongTimeouts, onStatement });
    onTestFinished(() => writer.destroy());
    const rows = await openRows(writer);
    let [written, isRunning] = [0, true];
    const write = async () => {
      const at = now + written;
      // The second record repeats one of those that were stored before the conversion, or during it.
      await rows.report({ id: `${written}`, at }, { id: `${written >> 1}`, at: now + (written >> 1) });
      await rows.act(at);
      // A request that also locks the account before and after: the conversion must not be in a deadlock with it.
      await writer.transaction().execute(async (trx) => {
        await sql`select from accounts where id = ${rows.account} for update`.execute(trx);
        const id = `${firstIdOf(at).slice(0, 35)}n`;
        const kind = 'computer_added';
        await trx
          .insertInto('notifications')
          .values({ id, account_id: rows.account, at, kind, name: '', read_at: null })
          .execute();
        await sql`update accounts set name = 'Ada' where id = ${rows.account}`.execute(trx);
      });
      written += 1;
    };
    const read = async () => {
      const page = { accountId: rows.account, before: undefined, limit: 50 };
      const lists = [
        await listActivity(reader, page),
        await notificationsOf(reader, page),
        await recordsOf(reader, { ...page }),
      ];
      for (const list of lists)
        expect(list.map(({ at }) => at)).toEqual(list.map(({ at }) => at).toSorted((a, b) => b - a));
    };
    const repeat = async (work: () => Promise<void>) => {
      while (isRunning) await work();
    };
    while (written < 200) await write();
    const working = Promise.all([repeat(write), repeat(read)]);
    const tables = await partitionTables(store, now);
    isRunning = false;
    await working;
    for (let more = 0; more < 20; more += 1) await write();
    await read();
    expect(failed).toEqual([]);
    expect(tables).toEqual(
      ['activity', 'notifications', 'records'].map((table) => ({
        table,
        converted: true,
        created: [`${table}_2027_01`],
        left: [],
      })),
    );
    const counts = Map.groupBy(await stateOf(store), (row) => row.split(' ', 1)[0]);
    expect([...counts].map(([kind, list]) => [kind, list.length])).toEqual(
      ['activity', 'notification', 'record'].map((kind) => [kind, written]),
    );
    expect(await partitionNames(store, 'records')).toEqual([
      'records_2027_01',
      'records_before_2027_01',
      'records_default',
    ]);
  });

  test('can be repeated after an interruption before any of its statements', async () => {
    const database = await migratedDatabase('postgres');
    const store = open(database);
    const rows = await openRows(store);
    let interruptions = 0;
    for (;;) {
      await rows.report({ id: `${interruptions}`, at: now });
      await rows.act(now);
      await rows.notice(now);
      const before = await stateOf(store);
      const converted = await partitionTables(interruptedAt(store, interruptions + 1), now).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('interrupted');
          return false;
        },
      );
      expect(await stateOf(store)).toEqual(before);
      if (converted) break;
      interruptions += 1;
    }
    // Three tables, with at least a dozen statements each.
    expect(interruptions).toBeGreaterThan(36);
    const boundaries = await sql`select from pg_constraint where conname like '%before%' and contype = 'c'`.execute(
      store,
    );
    expect(boundaries.rows).toEqual([]);
    expect(await partitionTables(store, now)).toMatchObject([0, 1, 2].map(() => ({ converted: false, created: [] })));
  });

  test('gives way to a session that keeps a table locked, and waits for its end', async () => {
    const database = await migratedDatabase('postgres');
    const [store, holder] = [open(database), open(database)];
    const rows = await openRows(store);
    let converting: Promise<unknown> | undefined;
    await holder.transaction().execute(async (trx) => {
      await sql`select from activity limit 1`.execute(trx);
      converting = partitionTables(store, now);
      // Each wait for the lock ends before a request would.
      for (let more = 0; more < 20; more += 1) await rows.act(now + more);
    });
    await converting;
    expect(await stateOf(store)).toHaveLength(20);
  });

  test('refuses rows of the far future, which would stay forever, and changes nothing', async () => {
    const store = open(await migratedDatabase('postgres'));
    const rows = await openRows(store);
    await rows.act(Date.UTC(2031, 0));
    await expect(partitionTables(store, now)).rejects.toThrow(
      /^DATABASE_URL: activity has rows with a time after 2027-01-01.*delete from activity where id >= '/,
    );
    expect(await partitionNames(store, 'activity')).toEqual([]);
    await rows.act(Date.UTC(2031, 0));
  });

  test('leaves nothing behind that refuses rows later: the clean-up removes the boundary of an interrupted one', async () => {
    const store = open(await migratedDatabase('postgres'));
    const rows = await openRows(store);
    for (let nth = 1; ; nth += 1) {
      await partitionTables(interruptedAt(store, nth), now).catch(() => undefined);
      const { rows: found } = await sql`select from pg_constraint where conname = 'activity_before_2027_01'`.execute(
        store,
      );
      if (found.length > 0) break;
    }
    await expect(rows.act(Date.UTC(2027, 0, 2))).rejects.toThrow(/activity_before_2027_01/);
    await cleanUp(store, { now, ...retention });
    await rows.act(Date.UTC(2027, 0, 2));
  });

  test('then refuses older code, which would not store records', async () => {
    const database = await migratedDatabase('postgres');
    const older = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0220'));
    await migrate(database, { steps: older });
    await partitionTables(open(database), now);
    await expect(migrate(database, { steps: older })).rejects.toThrow(
      /requires a version that knows "0220-partitions"/,
    );
    expect(await migrate(database)).toBe(0);
  });
});
