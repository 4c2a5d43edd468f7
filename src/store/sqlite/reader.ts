import type { DatabaseSync } from 'node:sqlite';
import { openStatements, type Statements } from './statements.ts';

/** The one connection that reads, and never waits. */
export interface Reader {
  readonly read: Statements;
  /** Something is about to be committed, which whoever reads afterwards will see. */
  renew(): void;
}

/** What is read within a turn of the event loop shares a transaction: the file's locks cost more than most answers. */
export function openReader(database: DatabaseSync): Reader {
  const run = openStatements(database);
  const exec = (sql: string) => run({ sql, parameters: [] });

  function renew(): void {
    if (database.isOpen && database.isTransaction) exec('commit');
  }

  return {
    read(query) {
      if (!database.isTransaction) {
        exec('begin');
        setImmediate(renew);
      }
      return run(query);
    },
    renew,
  };
}
