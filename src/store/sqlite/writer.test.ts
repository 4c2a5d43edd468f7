import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { openStore, type Store } from '../database.ts';
import { openWriter } from './writer.ts';

async function openNotes(): Promise<{ store: Store; other: DatabaseSync }> {
  const database = await freshDatabase('sqlite');
  const store = openStore(database);
  await sql`create table notes (id integer primary key, text text not null)`.execute(store);
  const other = new DatabaseSync(join(database.dataDir, 'vestibule.sqlite'));
  onTestFinished(async () => {
    other.close();
    await store.destroy();
  });
  return { store, other };
}

const add = (store: Store, id: number, text = '') => sql`insert into notes values (${id}, ${text})`.execute(store);

async function ids(store: Store): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from notes order by id`.execute(store);
  return rows.map(({ id }) => id);
}

const outcomes = async (all: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(all)).map(({ status }) => status === 'fulfilled');

test('parallel writes share commits', async () => {
  const { store, other } = await openNotes();
  const pages = () => Number(other.prepare('pragma wal_checkpoint').get()?.log);
  const before = pages();
  const alone = Array.from({ length: 50 }, (_, id) => add(store, id));
  const inTransactions = Array.from({ length: 50 }, (_, id) =>
    store.transaction().execute(async (trx) => {
      await add(trx, 100 + 2 * id);
      await add(trx, 101 + 2 * id);
    }),
  );
  await Promise.all([...alone, ...inTransactions]);
  expect(await ids(store)).toHaveLength(150);
  expect(pages() - before).toBeLessThan(20);
});

test('each of those that share a commit rolls back alone', async () => {
  const { store } = await openNotes();
  const done = await outcomes([
    add(store, 1),
    store.transaction().execute(async (trx) => {
      await add(trx, 2);
      await add(trx, 1);
    }),
    add(store, 1),
    store.transaction().execute(async (trx) => {
      await add(trx, 3);
      // Caught, so what came before it stays.
      await add(trx, 1).catch(() => undefined);
      await add(trx, 4);
    }),
    store.transaction().execute(async (trx) => {
      await add(trx, 5);
      throw new Error('broken off');
    }),
    add(store, 6),
  ]);
  expect(done).toEqual([true, false, false, true, false, true]);
  expect(await ids(store)).toEqual([1, 3, 4, 6]);
});

test('a full disk fails all waiting writes without storing any, and later writes work', async () => {
  const { store } = await openNotes();
  await add(store, 1);
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store);
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 3)}`.execute(store);
  const large = 'x'.repeat(100_000);
  const attempts = [
    add(store, 2),
    store.transaction().execute(async (trx) => {
      await add(trx, 3);
      await add(trx, 4, large);
    }),
    add(store, 5),
    add(store, 6, large),
  ];
  const done = await outcomes(attempts);
  await expect(attempts[1]).rejects.toThrow(/full/);
  const kept = [2, 5].filter((_, at) => done[at * 2]);
  expect(await ids(store)).toEqual([1, ...kept]);
  await sql`pragma max_page_count = 1000000`.execute(store);
  await add(store, 7, large);
  expect(await ids(store)).toEqual([1, ...kept, 7]);
});

test('while another process writes, reads continue and writes wait', async () => {
  const { store, other } = await openNotes();
  await add(store, 1);
  other.exec("begin immediate; insert into notes values (2, '')");
  const writing = Promise.all([add(store, 3), store.transaction().execute((trx) => add(trx, 4))]);
  expect(await ids(store)).toEqual([1]);
  other.exec('commit');
  await writing;
  expect(await ids(store)).toEqual([1, 2, 3, 4]);
});

test('a process that writes for too long fails the waiting writes, but not later ones', async () => {
  const { store, other } = await openNotes();
  other.exec('begin immediate');
  const attempts = Array.from({ length: 5 }, (_, id) => add(store, id));
  expect(await outcomes(attempts)).toEqual(Array(5).fill(false));
  await expect(attempts[0]).rejects.toThrow(/locked/);
  other.exec('rollback');
  await add(store, 9);
  expect(await ids(store)).toEqual([9]);
});

/** Notes for each row how SQLite committed it. */
class ObservedDatabase extends DatabaseSync {
  readonly committed = new Map<unknown, unknown>();

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    if (sql !== 'commit') return statement;
    const run = () => {
      const level = super.prepare('pragma synchronous').get()?.synchronous;
      for (const { id } of super.prepare('select id from notes').all())
        if (!this.committed.has(id)) this.committed.set(id, level);
      return super.prepare(sql).run();
    };
    return Object.assign(statement, { run });
  }
}

test('only a commit of nothing but asynchronous changes goes without an fsync', async () => {
  const [normal, full] = [1, 2];
  const { dataDir } = await freshDatabase('sqlite');
  const database = new ObservedDatabase(join(dataDir, 'notes.sqlite'));
  database.exec('pragma journal_mode = wal; create table notes (id integer primary key)');
  const writer = openWriter(database, { timeBudget: 0, beforeCommit: () => undefined });
  onTestFinished(writer.close);
  const insert = (id: number) => ({ sql: `insert into notes values (${id})`, parameters: [] }) as never;
  const asynchronous = (id: number) => writer.run(insert(id), 'asynchronous');
  const durable = async (id: number) => {
    const turn = await writer.begin();
    turn.run(insert(id));
    await turn.commit();
  };
  await durable(1);
  await Promise.all([asynchronous(2), asynchronous(3)]);
  await writer.run(insert(4));
  // A durable change cannot join a commit that began without an fsync.
  await Promise.all([asynchronous(5), durable(6), asynchronous(7)]);
  await durable(8);
  const durably = [...database.committed].filter(([, level]) => level === full).map(([id]) => id);
  expect(durably).toEqual(expect.arrayContaining([1, 4, 6, 8]));
  const others = [...database.committed].filter(([, level]) => level === normal).map(([id]) => id);
  expect(others).toEqual(expect.arrayContaining([2, 3, 5]));
  expect(database.committed.size).toBe(8);
});
