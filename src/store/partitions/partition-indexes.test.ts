import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { days } from '../../contract/durations.ts';
import {
  migratedDatabase,
  type TestDatabase,
  withLongTimeouts,
  withPostgres,
} from '../../testing/databases/databases.ts';
import { openRows } from '../../testing/databases/partitioned-rows.ts';
import { cleanUp } from '../clean-up.ts';
import { openStore, type Store } from '../database.ts';
import { createIndexOnline } from '../migrations/online.ts';
import { partitionTables } from './partition-tables.ts';

const november = Date.UTC(2026, 10, 23);
const month = (number: number) => Date.UTC(2027, number);
const clean = (store: Store, now: number) => cleanUp(store, { now, activityKept: days(365), recordsKept: days(365) });

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

describe.runIf(withPostgres)('a migration of a partitioned table', () => {
  const index = { name: 'records_at', on: 'records (computer_id, at)' };
  const indexes = async (store: Store) => {
    const { rows } = await sql<{ name: string }>`select indrelid::regclass::text as name from pg_index
      where indisvalid and pg_get_indexdef(indexrelid) like '%(computer_id, at)' order by name`.execute(store);
    return rows.map(({ name }) => name);
  };
  const partitions = ['records', 'records_2027_01', 'records_before_2027_01', 'records_default'];

  test('creates an index on each partition while requests write, also on later ones', async () => {
    const { database, store, report } = await openPartitioned();
    let creating: Promise<void> | undefined;
    const other = open(database);
    await other.transaction().execute(async (trx) => {
      // `concurrently` waits for this transaction; without it, the next record would wait for the index.
      await sql`select from records limit 1`.execute(trx);
      creating = createIndexOnline(store, index);
      for (let at = 0; at < 20; at += 1) await report({ id: `${at}`, at: november });
    });
    await creating;
    expect(await indexes(store)).toEqual(partitions);
    await createIndexOnline(store, index);
    await clean(store, month(0));
    expect(await indexes(store)).toEqual([
      partitions[0],
      partitions[1],
      'records_2027_02',
      'records_2027_03',
      ...partitions.slice(2),
    ]);
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
    expect(await indexes(store)).toEqual([
      partitions[0],
      partitions[1],
      'records_2027_02',
      'records_2027_03',
      ...partitions.slice(2),
    ]);
  });
});
