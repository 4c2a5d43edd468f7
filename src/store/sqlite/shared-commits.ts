import type { DatabaseSync } from 'node:sqlite';
import { openQueue } from './queue.ts';

/** What waits for the same commit. */
export interface Group {
  readonly began: number;
  readonly answers: { resolve(): void; reject(error: unknown): void }[];
  isDue: boolean;
}

/** After so long (ms) what has gathered is committed, and the event loop may breathe. */
const gathersFor = 4;
/** How often (ms) we look whether another process, such as the command line, has finished writing. */
const busyPoll = 5;
const sqliteBusy = 5;

interface Deps {
  readonly database: DatabaseSync;
  readonly exec: (sql: string) => void;
  /** Milliseconds that another process may go on writing. */
  readonly waitsFor: number;
  readonly beforeCommit: () => void;
}

export type SharedCommits = ReturnType<typeof openSharedCommits>;

/** Lets callers take turns in one transaction, which is committed once for all who came in the meantime. */
export function openSharedCommits({ database, exec, waitsFor, beforeCommit }: Deps) {
  const queue = openQueue();
  let group: Group | undefined;

  /** Resolves to the group that commits what is done in this turn. */
  async function takeTurn(): Promise<Group> {
    await queue.take();
    if (group) return group;
    try {
      await beginWhenFree();
    } catch (error) {
      queue.refuse(error);
      throw error;
    }
    const begun: Group = { began: performance.now(), answers: [], isDue: false };
    group = begun;
    setImmediate(() => {
      begun.isDue = true;
      if (!queue.isTaken() && group === begun) commitGroup(begun);
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
    queue.pass(tired);
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

  /** Where even this fails, the next transaction tries it again. */
  function undoAll(): void {
    try {
      if (database.isTransaction) exec('rollback');
    } catch {
      // Callers receive the error that came first.
    }
  }

  return {
    takeTurn,
    passTurn,
    /** Ends a turn; resolves when the group's commit would survive a power cut. */
    committed: (by: Group) =>
      new Promise<void>((resolve, reject) => {
        by.answers.push({ resolve, reject });
        // mutation: answers-before-commit
        passTurn();
      }),
    /** Whether the group's work is still there: a full disk ends the whole transaction by itself. */
    isOpen: (one: Group) => group === one,
    /** Refuses everybody of a group whose transaction SQLite has ended: nobody has an answer, and nobody's work is kept. */
    failed(one: Group, error: unknown): void {
      if (database.isTransaction || group !== one) return;
      group = undefined;
      for (const { reject } of one.answers) reject(error);
    },
    /** Refuses everybody of a group because one caller's work could not be undone alone. */
    undo(one: Group, error: unknown): void {
      undoAll();
      if (group === one) group = undefined;
      for (const { reject } of one.answers) reject(error);
    },
    /** Commits what has gathered, unless somebody is at work. */
    flush(): void {
      if (group && !queue.isTaken()) commitGroup(group);
    },
  };
}
