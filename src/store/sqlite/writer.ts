import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { type CommitKind, type Group, openSharedCommits, type SharedCommits } from './shared-commits.ts';
import { openStatements, type Rows, type Statements } from './statements.ts';

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
   * Runs a single statement, durably unless told otherwise. It needs no savepoint, since SQLite rolls back only that
   * statement if it fails.
   */
  run(query: CompiledQuery, kind?: CommitKind): Promise<Rows>;
  close(): void;
}

export function openWriter(
  database: DatabaseSync,
  { waitsFor, beforeCommit }: { waitsFor: number; beforeCommit: () => void },
): Writer {
  const run = openStatements(database);
  const exec = (sql: string) => run({ sql, parameters: [] });
  const commits = openSharedCommits({ database, exec, waitsFor, beforeCommit });
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
