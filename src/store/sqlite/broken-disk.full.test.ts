import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { openReader } from './dialect.ts';
import { openWriter } from './writer.ts';

const says = 'disk I/O error';

/** A database whose disk fails for the statements that match `broken`. */
class BreakableDatabase extends DatabaseSync {
  broken: RegExp | undefined;

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    const run = (...values: SQLInputValue[]) => {
      if (this.broken?.test(sql)) throw new Error(says);
      return super.prepare(sql).run(...values);
    };
    Object.assign(statement, { run });
    return statement;
  }
}

async function openNotes() {
  const { dataDir } = await freshDatabase('sqlite');
  const file = join(dataDir, 'notes.sqlite');
  const [database, other] = [new BreakableDatabase(file), new DatabaseSync(file)];
  database.exec('pragma journal_mode = wal; create table notes (text text not null)');
  onTestFinished(() => {
    other.close();
    database.close();
  });
  const texts = () =>
    other
      .prepare('select text from notes order by text')
      .all()
      .map(({ text }) => text);
  return { database, other, texts };
}

const query = (sql: string) => ({ sql, parameters: [] }) as never;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a read transaction that fails to end is ended by the next read, which sees new rows', async () => {
  const { database, other } = await openNotes();
  const { read } = openReader(database);
  const count = () => read(query('select count(*) as notes from notes')).rows;
  expect(count()).toEqual([{ notes: 0 }]);
  database.broken = /^commit$/;
  await nextTurn();
  other.exec("insert into notes values ('new')");
  expect(count).toThrow(says);
  database.broken = undefined;
  expect(count()).toEqual([{ notes: 1 }]);
});

test('a failed commit that cannot be rolled back right away is reported, stores nothing, and later writes work', async () => {
  const { database, texts } = await openNotes();
  const writer = openWriter(database, { timeBudget: 0, beforeCommit: () => undefined });
  database.broken = /^(?:commit|rollback)$/;
  await expect(writer.run(query("insert into notes values ('lost')"))).rejects.toThrow(says);
  await expect(writer.run(query("insert into notes values ('later')"))).rejects.toThrow(says);
  database.broken = undefined;
  await writer.run(query("insert into notes values ('kept')"));
  expect(texts()).toEqual(['kept']);
});

test('a change that could not be rolled back is not committed with those of others', async () => {
  const { database, texts } = await openNotes();
  const writer = openWriter(database, { timeBudget: 0, beforeCommit: () => undefined });
  const turn = await writer.begin();
  turn.run(query("insert into notes values ('half of it')"));
  const another = writer.run(query("insert into notes values ('another')"));
  database.broken = /^rollback to/;
  expect(turn.rollback).toThrow(says);
  database.broken = undefined;
  await another.catch(() => undefined);
  await writer.run(query("insert into notes values ('kept')"));
  expect(texts()).not.toContain('half of it');
  expect(texts()).toContain('kept');
});
