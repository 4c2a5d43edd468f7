import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { BoundedMap } from '../../runtime/bounded-map.ts';

/** The changes of one caller, which commit or roll back independently of others in the same commit. */
export interface Turn {
  run(query: CompiledQuery): Rows;
  /** Resolves once the changes would survive a power cut. */
  commit(): Promise<void>;
  rollback(): void;
}

/**
 * The only connection that writes. Transactions take turns, each within its own savepoint. Parallel ones share a
 * commit, and so an fsync; each resolves only after it.
 */
export interface Writer {
  begin(): Promise<Turn>;
  /**
   * Runs a single statement, durably unless asked otherwise. It needs no savepoint, since SQLite rolls back only that
   * statement if it fails.
   */
  run(query: CompiledQuery, kind?: CommitKind): Promise<Rows>;
  close(): void;
}

export function openWriter(
  database: DatabaseSync,
  { timeBudget, beforeCommit }: { timeBudget: number; beforeCommit: () => void },
): Writer {
  const run = openStatements(database);
  const exec = (sql: string) => run({ sql, parameters: [] });
  const commits = openSharedCommits({ database, exec, timeBudget, beforeCommit });
  return {
    async begin() {
      const own = await commits.takeTurn('durable');
      try {
        exec('savepoint one');
      } catch (error) {
        commits.passTurn();
        throw error;
      }
      return turnIn(own, commits, run);
    },
    async run(query, kind = 'durable') {
      const own = await commits.takeTurn(kind);
      let rows: Rows;
      try {
        rows = run(query);
      } catch (error) {
        commits.failed(own, error);
        commits.passTurn();
        throw error;
      }
      await commits.committed(own);
      return rows;
    },
    close() {
      commits.flush();
      database.close();
    },
  };
}

/** A savepoint within the group's transaction. */
function turnIn(own: Group, commits: SharedCommits, run: Statements): Turn {
  const exec = (sql: string) => run({ sql, parameters: [] });
  let over = false;
  let lost: unknown;
  const attempt = <T>(work: () => T): T => {
    // Otherwise each further statement would be committed on its own.
    if (lost) throw lost;
    try {
      return work();
    } catch (error) {
      commits.failed(own, error);
      if (!commits.isOpen(own)) lost = error;
      throw error;
    }
  };
  return {
    run: (query) => attempt(() => run(query)),
    async commit() {
      attempt(() => exec('release one'));
      over = true;
      await commits.committed(own);
    },
    rollback() {
      if (over) return;
      over = true;
      try {
        if (!lost) {
          exec('rollback to one');
          exec('release one');
        }
      } catch (error) {
        // Changes that could not be rolled back must not be committed with those of others.
        commits.undo(own, error);
        throw error;
      } finally {
        commits.passTurn();
      }
    },
  };
}

/** A queue of callers that take turns in order of arrival. */
interface Queue {
  /** Resolves when it is the caller's turn, which lasts until `pass` or `refuse`. */
  take(): Promise<void>;
  /** Ends a turn. If `later` is true, the next one begins only after other events. */
  pass(later: boolean): void;
  /** Ends a turn with an error, and fails all waiting callers, which would get the same error after the same wait. */
  refuse(error: unknown): void;
  isTaken(): boolean;
}

function openQueue(): Queue {
  const waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  let isTaken = false;
  return {
    async take() {
      if (isTaken) await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
      isTaken = true;
    },
    pass(later) {
      const next = waiting.shift();
      if (!next) isTaken = false;
      else if (later) setImmediate(next.resolve);
      else next.resolve();
    },
    refuse(error) {
      isTaken = false;
      for (const { reject } of waiting.splice(0)) reject(error);
    },
    isTaken: () => isTaken,
  };
}

/** `durable`: survives a power cut. `asynchronous`: survives the end of the process, and costs no fsync. */
type CommitKind = 'durable' | 'asynchronous';

/** Callers that wait for the same commit. */
interface Group {
  readonly began: number;
  readonly kind: CommitKind;
  readonly callers: { resolve(): void; reject(error: unknown): void }[];
  isDue: boolean;
}

/** How long (ms) a group gathers before it commits and the event loop can handle other events. */
const groupDuration = 4;
/** How often (ms) we check whether another process, such as the command line, has finished writing. */
const busyPoll = 5;
const sqliteBusy = 5;

/** In WAL mode, `normal` syncs at checkpoints only. */
const synchronous = { durable: 'full', asynchronous: 'normal' } as const satisfies Record<CommitKind, string>;

interface Deps {
  readonly database: DatabaseSync;
  readonly exec: (sql: string) => void;
  /** How long (ms) we wait for another process that writes. */
  readonly timeBudget: number;
  readonly beforeCommit: () => void;
}

type SharedCommits = ReturnType<typeof openSharedCommits>;

/** Lets callers take turns in one transaction, with a single commit for all that arrived meanwhile. */
function openSharedCommits({ database, exec, timeBudget, beforeCommit }: Deps) {
  const queue = openQueue();
  let group: Group | undefined;
  let prepared: CommitKind | undefined;

  /** Resolves to the group that will commit the changes of this turn. */
  async function takeTurn(kind: CommitKind): Promise<Group> {
    await queue.take();
    // An fsync also makes earlier commits durable, but one begun without it cannot change.
    if (kind === 'durable' && group?.kind === 'asynchronous') commitGroup(group);
    if (group) return group;
    try {
      await beginWhenFree(kind);
    } catch (error) {
      queue.refuse(error);
      throw error;
    }
    const begun: Group = { began: performance.now(), kind, callers: [], isDue: false };
    group = begun;
    setImmediate(() => {
      begun.isDue = true;
      if (!queue.isTaken() && group === begun) commitGroup(begun);
    });
    return begun;
  }

  /** Immediate: a transaction that first reads and then writes would fail if the command line wrote in between. */
  async function beginWhenFree(kind: CommitKind): Promise<void> {
    const givesUpAt = performance.now() + timeBudget;
    for (;;) {
      try {
        // Left open by a disk error during the rollback.
        if (database.isTransaction) exec('rollback');
        prepareFor(kind);
        exec('begin immediate');
        return;
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== sqliteBusy || performance.now() > givesUpAt) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, busyPoll));
    }
  }

  /** SQLite changes it outside of transactions only, and while it compiles the statement. */
  function prepareFor(kind: CommitKind): void {
    if (kind === prepared) return;
    database.exec(`pragma synchronous = ${synchronous[kind]}`);
    prepared = kind;
  }

  function passTurn(): void {
    const tired = group !== undefined && performance.now() - group.began > groupDuration;
    if (group && (group.isDue || tired)) commitGroup(group);
    queue.pass(tired);
  }

  function commitGroup({ callers }: Group): void {
    group = undefined;
    try {
      beforeCommit();
      exec('commit');
    } catch (error) {
      undoAll();
      for (const { reject } of callers) reject(error);
      return;
    }
    for (const { resolve } of callers) resolve();
  }

  /** If this fails as well, the next transaction tries again. */
  function undoAll(): void {
    try {
      if (database.isTransaction) exec('rollback');
    } catch {
      // Callers get the first error.
    }
  }

  return {
    takeTurn,
    passTurn,
    /** Ends a turn; resolves once the group's commit would survive a power cut. */
    committed: (by: Group) =>
      new Promise<void>((resolve, reject) => {
        by.callers.push({ resolve, reject });
        passTurn();
      }),
    /** Whether the group's transaction is still open: on a full disk, SQLite rolls all of it back by itself. */
    isOpen: (one: Group) => group === one,
    /** Fails all callers of a group whose transaction SQLite has ended, since none of their changes are stored. */
    failed(one: Group, error: unknown): void {
      if (database.isTransaction || group !== one) return;
      group = undefined;
      for (const { reject } of one.callers) reject(error);
    },
    /** Rolls back and fails a whole group, because one caller's changes could not be rolled back alone. */
    undo(one: Group, error: unknown): void {
      undoAll();
      if (group === one) group = undefined;
      for (const { reject } of one.callers) reject(error);
    },
    /** Commits the current group, unless a turn is in progress. */
    flush(): void {
      if (group && !queue.isTaken()) commitGroup(group);
    },
  };
}

export type Rows = QueryResult<never>;

/** Runs a statement, prepared once per connection: a refresh runs the same one thousands of times per second. */
export type Statements = (query: Pick<CompiledQuery, 'sql' | 'parameters'>) => Rows;

const statementsKept = 500;

type Value = string | number | bigint | null | Uint8Array;

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

export function openStatements(database: DatabaseSync): Statements {
  const prepared = new BoundedMap<string, Prepared>(statementsKept);

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const fresh = { statement, hasRows: statement.columns().length > 0 };
    prepared.set(sql, fresh);
    return fresh;
  }

  return ({ sql, parameters }) => {
    const { statement, hasRows } = prepare(sql);
    const values = parameters as readonly Value[];
    if (hasRows) return { rows: statement.all(...values) as never[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
}
