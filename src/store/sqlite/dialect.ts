import { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { isDamage, openUntouched, watchForMoves } from './files.ts';
import { openStatements, openWriter, type Rows, type Statements, type Turn, type Writer } from './writer.ts';

interface Options {
  readonly file: string;
  /** Milliseconds for which a transaction waits while another process writes. */
  readonly timeBudget: number;
  /** Changes nothing in the folder, and creates none of SQLite's files. */
  readonly readOnly?: boolean | undefined;
  /** Called with SQLite's words when a statement meets a damaged page. */
  readonly onDamage?: ((says: string) => void) | undefined;
}

/** SQLite for Kysely with Node's driver: one connection that writes, and one that reads and never waits for it. */
export class Sqlite implements Dialect {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  createDriver = (): Driver => new SqliteDriver(this.#options);
  createQueryCompiler = () => new SqliteQueryCompiler();
  createAdapter = () => new SqliteAdapter();
  createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db);
}

/** Few enough that a checkpoint takes milliseconds, and enough that most commits have none. */
const checkpointPages = 400;

class SqliteDriver implements Driver {
  readonly #writer: Writer;
  readonly #read: Statements;
  readonly #reader: DatabaseSync;
  readonly #onDamage: (says: string) => void;

  constructor({ file, timeBudget, readOnly = false, onDamage = () => undefined }: Options) {
    this.#onDamage = onDamage;
    if (readOnly) {
      this.#reader = openUntouched(file);
      this.#read = openStatements(this.#reader);
      this.#writer = readerAlone(this.#read);
      return;
    }
    const database = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
    try {
      // Each commit decides whether it waits for an fsync (`writer.ts`).
      database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0');
      database.exec('PRAGMA temp_store = MEMORY');
      // Overwrites deleted data, so that nothing of a deleted account is left in the file.
      database.exec('PRAGMA secure_delete = ON');
      database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
      // A separate connection sees only committed data: no response contains a change that a power cut could undo.
      this.#reader = new DatabaseSync(file, { timeout: 1000, readOnly: true });
      const { read, renew } = openReader(this.#reader);
      this.#read = read;
      const refuseIfMoved = watchForMoves(file);
      const beforeCommit = () => {
        refuseIfMoved();
        renew();
      };
      this.#writer = openWriter(database, { timeBudget, beforeCommit });
    } catch (error) {
      database.close();
      throw error;
    }
  }

  init = () => Promise.resolve();

  acquireConnection = async (): Promise<Connection> => new Connection(this.#writer, this.#read, this.#onDamage);

  releaseConnection = () => Promise.resolve();

  beginTransaction = (connection: Connection) => connection.begin();

  commitTransaction = (connection: Connection) => connection.commit();

  rollbackTransaction = async (connection: Connection) => connection.rollback();

  async destroy(): Promise<void> {
    this.#reader.close();
    this.#writer.close();
  }
}

/** Replaces the writer of a read-only database: SQLite itself rejects changes. */
const readerAlone = (read: Statements): Writer => ({
  begin: () => Promise.reject(new Error('this database is open for reading only')),
  run: async (query) => read(query),
  close: () => undefined,
});

/** Matches statements that only read; the read connection would reject others. */
const reads = /^\s*(?:select|explain)\b/i;

class Connection implements DatabaseConnection {
  readonly #writer: Writer;
  readonly #read: Statements;
  readonly #onDamage: (says: string) => void;
  #turn: Turn | undefined;

  constructor(writer: Writer, read: Statements, onDamage: (says: string) => void) {
    this.#writer = writer;
    this.#read = read;
    this.#onDamage = onDamage;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<{ rows: Row[] }> {
    try {
      return (await this.#execute(query)) as { rows: Row[] };
    } catch (error) {
      if (isDamage(error)) this.#onDamage((error as Error).message);
      throw error;
    }
  }

  #execute(query: CompiledQuery): Rows | Promise<Rows> {
    if (this.#turn) return this.#turn.run(query);
    if (reads.test(query.sql)) return this.#read(query);
    return this.#writer.run(query, isAsynchronous(query) ? 'asynchronous' : 'durable');
  }

  // biome-ignore lint/correctness/useYield: streaming is not supported
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('streaming is not supported');
  }

  async begin(): Promise<void> {
    this.#turn = await this.#writer.begin();
  }

  commit = async (): Promise<void> => this.#turn?.commit();

  rollback(): void {
    this.#turn?.rollback();
  }
}

const mark = 'asynchronous';

/** Lets the writer commit a statement without an fsync (`writer.ts`). */
export const markAsynchronous = <Row>(query: CompiledQuery<Row>): CompiledQuery<Row> =>
  Object.freeze({ ...query, [mark]: true });

const isAsynchronous = (query: CompiledQuery): boolean => mark in query;

/** The connection for reads, which never waits. */
interface Reader {
  readonly read: Statements;
  /** Ends the current snapshot before a commit, so that later reads see the commit. */
  renew(): void;
}

/** Reads in the same turn of the event loop share a transaction, because the file's locks cost more than most reads. */
export function openReader(database: DatabaseSync): Reader {
  const run = openStatements(database);
  const exec = (sql: string) => run({ sql, parameters: [] });

  let isRenewalDue = false;

  function renew(): void {
    if (database.isOpen && database.isTransaction) exec('commit');
  }

  /** Ignores a disk error: no caller waits for it here, and the next read tries again and reports it. */
  function renewUnasked(): void {
    isRenewalDue = false;
    try {
      renew();
    } catch {
      // The transaction stays open.
    }
  }

  return {
    read(query) {
      if (!isRenewalDue) renew();
      if (!database.isTransaction) exec('begin');
      if (!isRenewalDue) {
        isRenewalDue = true;
        setImmediate(renewUnasked);
      }
      return run(query);
    },
    renew,
  };
}
