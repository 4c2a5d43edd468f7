import type { DatabaseSync } from 'node:sqlite';
import { openQueue } from './queue.ts';

/** `durable`: survives a power cut. `asynchronous`: survives the end of the process, and costs no fsync. */
export type CommitKind = 'durable' | 'asynchronous';

/** Callers that wait for the same commit. */
export interface Group {
  readonly began: number;
  readonly kind: CommitKind;
  readonly answers: { resolve(): void; reject(error: unknown): void }[];
  isDue: boolean;
}

/** How long (ms) a group gathers before it commits and the event loop can handle other events. */
const gathersFor = 4;
/** How often (ms) we check whether another process, such as the command line, has finished writing. */
const busyPoll = 5;
const sqliteBusy = 5;

/** In WAL mode, `normal` syncs at checkpoints only. */
const synchronous = { durable: 'full', asynchronous: 'normal' } as const satisfies Record<CommitKind, string>;

interface Deps {
  readonly database: DatabaseSync;
  readonly exec: (sql: string) => void;
  /** How long (ms) we wait for another process that writes. */
  readonly waitsFor: number;
  readonly beforeCommit: () => void;
}

export type SharedCommits = ReturnType<typeof openSharedCommits>;

/** Lets callers take turns in one transaction, with a single commit for all that arrived meanwhile. */
export function openSharedCommits({ database, exec, waitsFor, beforeCommit }: Deps) {
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
    const begun: Group = { began: performance.now(), kind, answers: [], isDue: false };
    group = begun;
    setImmediate(() => {
      begun.isDue = true;
      if (!queue.isTaken() && group === begun) commitGroup(begun);
    });
    return begun;
  }

  /** Immediate: a transaction that first reads and then writes would fail if the command line wrote in between. */
  async function beginWhenFree(kind: CommitKind): Promise<void> {
    const givesUpAt = performance.now() + waitsFor;
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
      for (const { reject } of answers) reject(error);
      return;
    }
    for (const { resolve } of answers) resolve();
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
        by.answers.push({ resolve, reject });
        passTurn();
      }),
    /** Whether the group's transaction is still open: on a full disk, SQLite rolls all of it back by itself. */
    isOpen: (one: Group) => group === one,
    /** Fails all callers of a group whose transaction SQLite has ended, since none of their changes are stored. */
    failed(one: Group, error: unknown): void {
      if (database.isTransaction || group !== one) return;
      group = undefined;
      for (const { reject } of one.answers) reject(error);
    },
    /** Rolls back and fails a whole group, because one caller's changes could not be rolled back alone. */
    undo(one: Group, error: unknown): void {
      undoAll();
      if (group === one) group = undefined;
      for (const { reject } of one.answers) reject(error);
    },
    /** Commits the current group, unless a turn is in progress. */
    flush(): void {
      if (group && !queue.isTaken()) commitGroup(group);
    },
  };
}
