import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  migratedDatabase,
  type TestDatabase,
  withLongTimeouts,
  withPostgres,
} from '../../testing/databases/databases.ts';
import { openRows } from '../../testing/databases/partitioned-rows.ts';
import { openStore, type Store } from '../database.ts';
import { partitionTables } from './partition-tables.ts';

const now = Date.UTC(2026, 10, 23);

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

describe.runIf(withPostgres)('vestibule partition', () => {
  test('leaves a table as it would be without partitions: indexes, keys, and rows that go with their account', async () => {
    const database = await migratedDatabase('postgres');
    const store = open(database);
    const definitions = async () => {
      const { rows } = await sql<{ text: string }>`
        select replace(pg_get_indexdef(indexrelid), ' ONLY ', ' ') as text from pg_index
        where indrelid in ('activity'::regclass, 'notifications'::regclass, 'records'::regclass)
        union all select concat(conrelid::regclass, ' ', conname, ' ', pg_get_constraintdef(oid), convalidated)
        from pg_constraint where contype <> 'f'
          and conrelid in ('activity'::regclass, 'notifications'::regclass, 'records'::regclass)
        union all select concat(attrelid::regclass, ' ', attname, ' ', atttypid::regtype, ' ', attnotnull)
        from pg_attribute where attnum > 0 and attrelid in ('activity'::regclass, 'notifications'::regclass, 'records'::regclass)
        order by 1`.execute(store);
      return rows.map(({ text }) => text);
    };
    const before = await definitions();
    await partitionTables(store, now);
    // PostgreSQL allows this one only within each partition. The foreign keys are there as well.
    expect(await definitions()).toEqual(before.filter((line) => !line.includes('records_once')));
    const { rows: once } = await sql`select indrelid::regclass as name from pg_index
      where indisunique and pg_get_indexdef(indexrelid) like '%(computer_id, id)'`.execute(store);
    expect(once).toHaveLength(3);
    const { rows: keys } = await sql`select from pg_constraint
      where contype = 'f' and convalidated and conrelid::regclass::text like 'records_%'
        and confrelid in ('accounts'::regclass, 'computers'::regclass)
        and conrelid in (select inhrelid from pg_inherits)`.execute(store);
    expect(keys).toHaveLength(6);

    const [rows, other] = [await openRows(store), await openRows(store)];
    const times = [now, Date.UTC(2027, 0, 1), Date.UTC(2030, 5)];
    for (const { report, act, notice } of [rows, other]) {
      for (const at of times) await Promise.all([report({ id: `${at}`, at }), act(at), notice(at)]);
    }
    await store.deleteFrom('accounts').where('id', '=', rows.account).execute();
    const left = await stateOf(store);
    expect(left).toHaveLength(9);
    expect(left.filter((line) => !line.includes(other.account))).toEqual([]);
  });

  test('does not wait for a session that has read other tables: if it then adds a row, that would be a deadlock', async () => {
    const database = await migratedDatabase('postgres');
    const [store, holder] = [open(database), open(database)];
    await holder.transaction().execute(async (trx) => {
      await sql`select from accounts, computers limit 1`.execute(trx);
      expect(await partitionTables(store, now)).toMatchObject([0, 1, 2].map(() => ({ converted: true })));
    });
  });

  test('may be called twice at once', async () => {
    const database = await migratedDatabase('postgres');
    const both = await Promise.all([open(database), open(database)].map((store) => partitionTables(store, now)));
    expect(both.flat().filter(({ converted }) => converted)).toHaveLength(3);
  });

  test('stores a record once, whatever its time when it is repeated', async () => {
    const store = open(await migratedDatabase('postgres'));
    const rows = await openRows(store);
    const [december, january] = [Date.UTC(2026, 11, 31, 23, 59), Date.UTC(2027, 0, 1, 0, 1)];
    await partitionTables(store, now);
    expect(await rows.report({ id: 'a', at: december }, { id: 'a', at: january })).toBe(1);
    expect(await rows.report({ id: 'a', at: january }, { id: 'b', at: january })).toBe(1);
    expect(await rows.report({ id: 'b', at: december }, { id: 'a', at: december })).toBe(0);
    const parallel = Array.from({ length: 8 }, () => rows.report({ id: 'c', at: january }, { id: 'd', at: december }));
    const added = await Promise.all(parallel);
    expect(added.reduce((sum, count) => sum + count)).toBe(2);
  });
});
