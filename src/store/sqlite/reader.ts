import type { DatabaseSync } from 'node:sqlite';
import { openStatements, type Statements } from './statements.ts';

/** The connection for reads, which never waits. */
export interface Reader {
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
