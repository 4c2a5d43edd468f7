import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { type Group, openSharedCommits, type SharedCommits } from './shared-commits.ts';
import { openStatements, type Rows, type Statements } from './statements.ts';

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

export function openWriter(
  database: DatabaseSync,
  { waitsFor, beforeCommit }: { waitsFor: number; beforeCommit: () => void },
): Writer {
  const run = openStatements(database);
  const exec = (sql: string) => run({ sql, parameters: [] });
  const commits = openSharedCommits({ database, exec, waitsFor, beforeCommit });
  return {
    async begin() {
      const own = await commits.takeTurn();
      try {
        exec('savepoint one');
      } catch (error) {
        commits.passTurn();
        throw error;
      }
      return turnIn(own, commits, run);
    },
    async run(query) {
      const own = await commits.takeTurn();
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
    // What follows would otherwise be committed statement by statement.
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
        // What nobody has undone must not be kept with what others do.
        commits.undo(own, error);
        throw error;
      } finally {
        commits.passTurn();
      }
    },
  };
}
