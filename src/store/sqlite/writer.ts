import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { openStatements, type Rows } from './statements.ts';

/** The work of one caller: what it did is kept or undone alone, whatever others do in the same commit. */
export interface Turn {
  run(query: CompiledQuery): Rows;
  /** Resolves when what was done would survive a power cut. */
  commit(): Promise<void>;
  rollback(): void;
}

/**
 * The one connection that writes. Transactions take turns, each within a savepoint of its own, and those that come
 * together share one commit and so one fsync; each is answered only after it.
 */
export interface Writer {
  begin(): Promise<Turn>;
  /** One statement, which needs no savepoint: SQLite undoes it alone when it fails. */
  run(query: CompiledQuery): Promise<Rows>;
  close(): void;
}

/** What waits for the same commit. */
interface Group {
  readonly began: number;
  readonly answers: { resolve(): void; reject(error: unknown): void }[];
  isDue: boolean;
}

/** After so long (ms) what has gathered is committed, and the event loop may breathe. */
const gathersFor = 4;
/** How often (ms) we look whether another process, such as the command line, has finished writing. */
const busyPoll = 5;
const sqliteBusy = 5;

export function openWriter(
  database: DatabaseSync,
  { waitsFor, beforeCommit }: { waitsFor: number; beforeCommit: () => void },
): Writer {
  const run = openStatements(database);
  const exec = (sql: string) => run({ sql, parameters: [] });
  const queue: { resolve(): void; reject(error: unknown): void }[] = [];
  let isTaken = false;
  let group: Group | undefined;

  async function takeTurn(): Promise<Group> {
    if (isTaken) await new Promise<void>((resolve, reject) => queue.push({ resolve, reject }));
    isTaken = true;
    if (group) return group;
    try {
      await beginWhenFree();
    } catch (error) {
      // Whoever waits behind this one has waited as long for the same thing.
      isTaken = false;
      for (const { reject } of queue.splice(0)) reject(error);
      throw error;
    }
    const begun: Group = { began: performance.now(), answers: [], isDue: false };
    group = begun;
    setImmediate(() => {
      begun.isDue = true;
      if (!isTaken && group === begun) commitGroup(begun);
    });
    return begun;
  }

  /** Immediate: a transaction that reads and then writes would fail when the command line wrote between. */
  async function beginWhenFree(): Promise<void> {
    const givesUpAt = performance.now() + waitsFor;
    for (;;) {
      try {
        // Left by a disk that could not even take back what was begun.
        if (database.isTransaction) exec('rollback');
        exec('begin immediate');
        return;
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== sqliteBusy || performance.now() > givesUpAt) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, busyPoll));
    }
  }

  function passTurn(): void {
    const tired = group !== undefined && performance.now() - group.began > gathersFor;
    if (group && (group.isDue || tired)) commitGroup(group);
    const next = queue.shift();
    if (!next) isTaken = false;
    else if (tired) setImmediate(next.resolve);
    else next.resolve();
  }

  function commitGroup({ answers }: Group): void {
    group = undefined;
    try {
      beforeCommit();
      exec('commit');
    } catch (error) {
      undoAll();
      // mutation: failed-commit-is-done
      for (const { reject } of answers) reject(error);
      return;
    }
    for (const { resolve } of answers) resolve();
  }

  /** Where even this fails, whoever begins next tries it again. */
  function undoAll(): void {
    try {
      if (database.isTransaction) exec('rollback');
    } catch {
      // What is told is why nothing is kept.
    }
  }

  /** A full disk ends the whole transaction by itself: nobody of the group has been answered, and nobody's work is kept. */
  function failGroup(failed: Group, error: unknown): void {
    if (database.isTransaction || group !== failed) return;
    group = undefined;
    for (const { reject } of failed.answers) reject(error);
  }

  const answered = (by: Group) =>
    new Promise<void>((resolve, reject) => {
      by.answers.push({ resolve, reject });
      // mutation: answers-before-commit
      passTurn();
    });

  function turnIn(own: Group): Turn {
    let over = false;
    let lost: unknown;
    const attempt = <T>(work: () => T): T => {
      // What follows would otherwise be committed statement by statement.
      if (lost) throw lost;
      try {
        return work();
      } catch (error) {
        failGroup(own, error);
        if (group !== own) lost = error;
        throw error;
      }
    };
    return {
      run: (query) => attempt(() => run(query)),
      async commit() {
        attempt(() => exec('release one'));
        over = true;
        await answered(own);
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
          // What nobody has undone must not be kept with what others do.
          undoAll();
          if (group === own) group = undefined;
          for (const { reject } of own.answers) reject(error);
          throw error;
        } finally {
          passTurn();
        }
      },
    };
  }

  return {
    async begin() {
      const own = await takeTurn();
      try {
        exec('savepoint one');
      } catch (error) {
        passTurn();
        throw error;
      }
      return turnIn(own);
    },
    async run(query) {
      const own = await takeTurn();
      let rows: Rows;
      try {
        rows = run(query);
      } catch (error) {
        failGroup(own, error);
        passTurn();
        throw error;
      }
      await answered(own);
      return rows;
    },
    close() {
      if (group && !isTaken) commitGroup(group);
      database.close();
    },
  };
}
