import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

const statementsKept = 500;

/**
 * Opens a SQLite file for Kysely. WAL with synchronous=FULL: a commit that was answered survives a power cut.
 * Statements are prepared once, since the refresh path runs the same one thousands of times a second.
 */
export function openSqlite(file: string): SqliteDatabase {
  const database = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
  const prepared = new Map<string, SqliteStatement>();

  const prepare = (sql: string): SqliteStatement => {
    const known = prepared.get(sql);
    if (known) return known;
    if (prepared.size >= statementsKept) prepared.clear();
    // A transaction that reads and then writes would fail with SQLITE_BUSY_SNAPSHOT when the command line wrote between.
    const statement = adapt(database.prepare(sql === 'begin' ? 'begin immediate' : sql));
    prepared.set(sql, statement);
    return statement;
  };
  return { prepare, close: () => database.close() };
}

type Value = string | number | bigint | null | Uint8Array;

function adapt(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as Value[])),
    run: (values) => statement.run(...(values as Value[])),
    iterate: (values) => statement.iterate(...(values as Value[])),
  };
}
